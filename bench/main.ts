/** `npm run bench`: measures the service as ratios to a floor, in one run. See docs/benchmarks.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchmarkActivations, benchmarkPostgresActivations } from './activations.ts';
import { benchmarkArchive } from './archive.ts';
import { benchmarkEmbedded } from './embedded.ts';
import { benchmarkFleet } from './fleet.ts';
import { benchmarkKeygenImport } from './keygen-import.ts';
import { benchmarkLicenses } from './licenses.ts';
import { benchmarkLogin } from './login.ts';
import { benchmarkLongWork } from './long-work.ts';
import { benchmarkMigrations, benchmarkPostgresMigrations } from './migrations.ts';
import { benchmarkMoves } from './moves.ts';
import { benchmarkOfrep } from './ofrep.ts';
import { benchmarkOnboarding } from './onboarding.ts';
import { benchmarkPeers } from './peers.ts';
import { benchmarkPostgres } from './postgres.ts';
import { benchmarkPostgresScale } from './postgres-scale.ts';
import { benchmarkProcess } from './process.ts';
import { benchmarkScale } from './scale.ts';
import { measureSteps } from './steps.ts';
import { formatTable, type Row } from './table.ts';
import { benchmarkTenants } from './tenants.ts';
import { benchmarkUsage } from './usage.ts';
import { benchmarkValkey } from './valkey.ts';
import { benchmarkWebhooks } from './webhooks.ts';

const benchmarks: Readonly<Record<string, () => Promise<Row[]>>> = {
  embedded: benchmarkEmbedded,
  licenses: benchmarkLicenses,
  login: benchmarkLogin,
  'long-work': benchmarkLongWork,
  postgres: benchmarkPostgres,
  valkey: benchmarkValkey,
  tenants: benchmarkTenants,
  fleet: benchmarkFleet,
  scale: benchmarkScale,
  activations: benchmarkActivations,
  usage: benchmarkUsage,
  webhooks: benchmarkWebhooks,
  archive: benchmarkArchive,
  'keygen-import': benchmarkKeygenImport,
  migrations: benchmarkMigrations,
  moves: benchmarkMoves,
  onboarding: benchmarkOnboarding,
  ofrep: benchmarkOfrep,
  process: benchmarkProcess,
  peers: benchmarkPeers,
  'postgres-scale': benchmarkPostgresScale,
  'postgres-migrations': benchmarkPostgresMigrations,
  'postgres-activations': benchmarkPostgresActivations,
};

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, save: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (positionals[0] === 'steps') await measureSteps();
else await run(values.only === undefined ? Object.keys(benchmarks) : values.only.split(','));

async function run(names: readonly string[]): Promise<void> {
  const rows: Row[] = [];
  for (const name of names) {
    const benchmark = benchmarks[name];
    if (benchmark === undefined) {
      throw new Error(`There is no benchmark "${name}": choose among ${Object.keys(benchmarks).join(', ')}.`);
    }
    console.error(`Measuring ${name} …`);
    rows.push(...(await benchmark()));
  }
  console.log(formatTable(rows));
  if (values.save) save(rows);
}

function save(rows: readonly Row[]): void {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const measuredAt = new Date().toISOString();
  const file = join(folder, `${measuredAt.replaceAll(':', '-')}.json`);
  writeFileSync(file, `${JSON.stringify({ measured_at: measuredAt, node: process.version, rows }, null, 2)}\n`);
  console.error(`Saved to ${file}`);
}
