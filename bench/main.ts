/** `npm run bench`: measures the service as ratios to a floor, in one run. See docs/benchmarks.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const { values } = parseArgs({ options: { only: { type: 'string' }, save: { type: 'boolean', default: false } } });
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
if (values.save) save();

function save(): void {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const measuredAt = new Date().toISOString();
  const file = join(folder, `${measuredAt.replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ measured_at: measuredAt, node: process.version, rows }, null, 2)}\n`);
  console.error(`Saved to ${file}`);
}
