/** `npm run bench`: measures the service as ratios to a floor, in one run. See docs/benchmarks.md. */
import { parseArgs } from 'node:util';
import { benchmarkDeliveries } from './deliveries.ts';
import { benchmarkMixed, benchmarkPostgresMixed } from './mixed.ts';
import { benchmarkProcess } from './process.ts';
import { formatTable, type Row } from './table.ts';
import { benchmarkPostgresTenants, benchmarkTenants } from './tenants.ts';
import { benchmarkMillion, benchmarkPeers, benchmarkPostgres, benchmarkValidate } from './validate.ts';

const benchmarks: Readonly<Record<string, () => Promise<Row[]>>> = {
  mixed: benchmarkMixed,
  'postgres-mixed': benchmarkPostgresMixed,
  validate: benchmarkValidate,
  million: benchmarkMillion,
  postgres: benchmarkPostgres,
  tenants: benchmarkTenants,
  'postgres-tenants': benchmarkPostgresTenants,
  deliveries: benchmarkDeliveries,
  process: benchmarkProcess,
  peers: benchmarkPeers,
};

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const rows: Row[] = [];
for (const name of values.only?.split(',') ?? Object.keys(benchmarks)) {
  const benchmark = benchmarks[name];
  if (benchmark === undefined) {
    throw new Error(`There is no benchmark "${name}": choose among ${Object.keys(benchmarks).join(', ')}.`);
  }
  console.error(`Measuring ${name} …`);
  rows.push(...(await benchmark()));
}
console.log(formatTable(rows));
