import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { createTenantOfMany } from './archive.ts';
import { createCrowd, tenantsOf } from './crowd.ts';
import { importFile, licensesFile } from './licenses.ts';
import { createUsers, logIn } from './login.ts';
import { isQuick, median } from './measure.ts';
import { type Latencies, type OpenLoop, startOpenLoop } from './open-loop.ts';
import { replacingModule, type ServerProcess, sourceFile, startService } from './processes.ts';
import {
  type Applicant,
  adminToken,
  createAdmin,
  createApplicant,
  createSite,
  raiseCeilings,
  type Site,
  validateRequest,
  withSite,
} from './site.ts';
import { type Row, times } from './table.ts';
import { copyEmbeddedTenant } from './tenant-copies.ts';

const perSecond = 200;
const rounds = isQuick ? 1 : 5;
const idleMs = isQuick ? 1000 : 6000;
const settleMs = isQuick ? 200 : 2000;
const imported = isQuick ? 2000 : 100_000;
const backedUp = isQuick ? 2000 : 300_000;
const migrated = isQuick ? 20 : 1000;
const logins = isQuick ? 20 : 1000;
const mostTimesIdle = 5;
/** Only the works whose name contains this text are measured. */
const chosen = process.env['LONG_WORK'] ?? '';

interface Stage {
  readonly site: Site;
  readonly service: ServerProcess;
  readonly crowd: readonly Applicant[];
}

/** A long piece of work; called once per round, numbered from 1. */
interface LongWork {
  readonly name: string;
  run(stage: Stage, round: number): Promise<void>;
}

const works: readonly LongWork[] = [
  { name: `an import of ${imported.toLocaleString('en')} licenses`, run: importLicenses },
  { name: `a backup of ${(3 * backedUp).toLocaleString('en')} rows`, run: backUp },
  { name: `a migration of ${migrated.toLocaleString('en')} tenants`, run: migrate },
  { name: `a burst of ${logins.toLocaleString('en')} logins`, run: logInAtOnce },
];

/** Measures the p99 of `validate` at a low rate while the service or a command does long work, against its idle p99. */
export async function benchmarkLongWork(): Promise<Row[]> {
  const site = await createSite();
  try {
    const crowd = await prepare(site);
    const service = await startService(site, { TRUST_PROXY: 'loopback' });
    await raiseCeilings(service.port, tenantsOf(crowd));
    const requests = crowd.map((applicant) => validateRequest(service.port, applicant));
    const load = startOpenLoop(service.port, requests, perSecond);
    await delay(settleMs);
    const rows: Row[] = [];
    for (const work of works.filter(({ name }) => name.includes(chosen)))
      rows.push(await measure({ site, service, crowd }, load, work));
    load.stop();
    await service.stop();
    return rows;
  } finally {
    await site.remove();
  }
}

async function prepare(site: Site): Promise<Applicant[]> {
  await withSite(site, async (services) => {
    await createAdmin(services);
    await createUsers(services);
    const { tenantId } = await createApplicant(services, 'Original');
    await services.tenants.close();
    await copyEmbeddedTenant(services, tenantId, migrated - 1);
  });
  await createTenantOfMany(site, backedUp);
  for (let round = 1; round <= rounds; round += 1) {
    await writeFile(importedFile(site, round), licensesFile(imported, `R${round}`));
  }
  return createCrowd(site, 'plain');
}

async function measure(stage: Stage, load: OpenLoop, { name, run }: LongWork): Promise<Row> {
  const pairs: { idle: Latencies; during: Latencies }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const idle = await load.during(() => delay(idleMs));
    const during = await load.during(() => run(stage, round));
    pairs.push({ idle, during });
    await delay(settleMs);
  }
  const ratio = median(pairs.map(({ idle, during }) => during.p99Ms / idle.p99Ms));
  const idleMsOf = pairs.map(({ idle }) => idle.p99Ms);
  const duringMs = pairs.map(({ during }) => during.p99Ms);
  const longestMs = Math.max(...pairs.map(({ during }) => during.longestMs));
  const lateness = median(pairs.map(({ during }) => during.latenessP99Ms));
  return {
    name: `p99 of validate during ${name}`,
    ours: `${described(duringMs)}, longest wait ${longestMs.toFixed(0)} ms, generator ${lateness.toFixed(1)} ms late`,
    floor: `${described(idleMsOf)} idle`,
    ratio: times(ratio),
    target: `≤ ${times(mostTimesIdle)}`,
    verdict: ratio <= mostTimesIdle ? 'ok' : 'short',
  };
}

/** Returns the median, and the least and the greatest value. */
function described(valuesMs: readonly number[]): string {
  const ms = (value: number) => value.toFixed(1);
  return `${ms(median(valuesMs))} ms (${ms(Math.min(...valuesMs))} to ${ms(Math.max(...valuesMs))})`;
}

const importedFile = (site: Site, round: number) => join(site.dataDir, `import-${round}.csv`);

/** Imports into one of the tenants whose licenses are validated. */
async function importLicenses({ site, service, crowd: [applicant] }: Stage, round: number): Promise<void> {
  if (applicant === undefined) throw new Error('There is no tenant.');
  const token = await adminToken(service.port);
  await importFile(service.port, token, { tenantId: applicant.tenantId, file: importedFile(site, round) });
}

function backUp({ site }: Stage, round: number): Promise<void> {
  return runCommand(site, ['backup', '--to', join(site.dataDir, `backup-${round}`)]);
}

/** Each round adds one more column to every tenant. */
function migrate({ site }: Stage, round: number): Promise<void> {
  const replaced = replacingModule('db/migrations/tenant/index.ts', 'one-more-migration.ts');
  return runCommand(site, ['migrate'], { ...replaced, BENCH_MIGRATIONS: String(round) });
}

async function runCommand(site: Site, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const child = spawn(process.execPath, [sourceFile, ...args], {
    env: { ...process.env, ...site.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`licensing ${args.join(' ')} exited with ${code}.`);
}

/**
 * Sends all logins at once, each on a new connection, as that many browsers do. A refused one repeats when the service
 * says so.
 */
async function logInAtOnce({ service }: Stage): Promise<void> {
  const connections = new Agent();
  await Promise.all(Array.from({ length: logins }, () => logIn(service.port, connections)));
  await connections.close();
}
