/** `npm run bench`: measures the service as ratios to a floor, in one run. See docs/benchmarks.md. */
import { parseArgs } from 'node:util';
import { benchmarkBudgets } from './budgets.ts';
import { benchmarkDeliveries } from './deliveries.ts';
import { benchmarkMixed, benchmarkPostgresMixed } from './mixed.ts';
import { formatTable, type Row } from './table.ts';
import { benchmarkPostgresTenants, benchmarkTenants } from './tenants.ts';
import { benchmarkMillion, benchmarkPeers } from './validate.ts';

const benchmarks: Readonly<Record<string, () => Promise<Row[]>>> = {
  budgets: benchmarkBudgets,
  mixed: benchmarkMixed,
  'postgres-mixed': benchmarkPostgresMixed,
  million: benchmarkMillion,
  tenants: benchmarkTenants,
  'postgres-tenants': benchmarkPostgresTenants,
  deliveries: benchmarkDeliveries,
  peers: benchmarkPeers,
};

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = (values.only?.split(',') ?? Object.keys(benchmarks)).map((name) => {
  const benchmark = benchmarks[name];
  if (benchmark === undefined) {
    throw new Error(`There is no benchmark "${name}": choose among ${Object.keys(benchmarks).join(', ')}.`);
  }
  return { name, benchmark };
});
const rows: Row[] = [];
const failed: string[] = [];
for (const { name, benchmark } of chosen) {
  console.error(`Measuring ${name} …`);
  try {
    rows.push(...(await benchmark()));
  } catch (error) {
    console.error(`The benchmark "${name}" failed; the others go on.`, error);
    failed.push(name);
  }
}
console.log(formatTable(rows));
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}.`);
if (failed.length > 0 || rows.some(({ verdict }) => verdict === 'exceeded')) process.exitCode = 1;
