import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newId } from '../packages/server/src/lib/ids.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { fillTenant } from './bulk.ts';
import { copyActivationId, copyKey, deviceCopies, licenseCopies } from './data.ts';
import { newActivation, renewedActivation } from './load.ts';
import { type Contestant, median, medianRound, type Round, runRound, warmUpMs } from './measure.ts';
import { type ServerProcess, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  createSite,
  integrationRequest,
  raiseCeilings,
  readTemplates,
  type Site,
  withSite,
} from './site.ts';
import { perSecond, type Row, rateRow, times } from './table.ts';

const seats = 10;
const limitedLicenses = 20_000;
const devices = 1000;
const targetPerSecond = 1500;
const rounds = 3;
const commitsMs = 1000;

interface Stage {
  readonly site: Site;
  /** Its licenses permit any number of activations. */
  readonly fleet: Applicant;
  /** Has many licenses of `seats` seats each. */
  readonly desk: Applicant;
}

/**
 * Measures durable activations and heartbeats over HTTP on the embedded engine, compared with bare commits on the same
 * disk.
 */
export async function benchmarkActivations(): Promise<Row[]> {
  const site = await createSite();
  try {
    return await measureStage(await prepare(site), 'embedded', targetPerSecond, createCommitter(site));
  } finally {
    await site.remove();
  }
}

/** Runs the same benchmark, without a target, on a PostgreSQL that flushes its log at every commit. */
export async function benchmarkPostgresActivations(): Promise<Row[]> {
  const postgres = await startPostgres({ durable: true });
  const site = await createSite(postgres.url);
  try {
    return await measureStage(await prepare(site), 'PostgreSQL', null);
  } finally {
    await site.remove();
    await postgres.stop();
  }
}

async function prepare(site: Site): Promise<Stage> {
  const { fleet, desk, ...templates } = await withSite(site, async (services) => {
    await createAdmin(services);
    const unlimited = await createApplicant(services, 'Fleet', { max_activations: null, lease_seconds: 86_400 });
    const limited = await createApplicant(services, 'Desk', { max_activations: seats });
    const device = (await readTemplates(services, unlimited)).activation;
    return { fleet: unlimited, desk: limited, device, license: (await readTemplates(services, limited)).license };
  });
  await fillTenant(site, fleet.tenantId, [deviceCopies(templates.device, devices)]);
  await fillTenant(site, desk.tenantId, [licenseCopies(templates.license, limitedLicenses)]);
  return { site, fleet, desk };
}

function activateRequest(port: number, apiKey: string, licenseKey: string): Buffer {
  const body = { fingerprint: newId(), name: 'Workstation', platform: 'linux' };
  return integrationRequest(port, apiKey, `/licenses/${licenseKey}/activations`, body);
}

/** Returns requests that each activate another device. With a limit, they fill the licenses one after the other. */
function activationsOn(server: ServerProcess, { fleet, desk }: Stage): { noLimit: Contestant; limit: Contestant } {
  let taken = 0;
  const nextLicense = () => {
    const copy = 1 + Math.floor(taken / seats);
    if (copy > limitedLicenses) throw new Error('Every seat is taken: make more licenses for this benchmark.');
    taken += 1;
    return copyKey(copy);
  };
  const contestant = (requests: () => Buffer): Contestant => ({ server, requests, expected: newActivation });
  return {
    noLimit: contestant(() => activateRequest(server.port, fleet.apiKey, fleet.licenseKey)),
    limit: contestant(() => activateRequest(server.port, desk.apiKey, nextLicense())),
  };
}

function heartbeatsOn(server: ServerProcess, { fleet }: Stage): Contestant {
  const path = (device: number) => `/licenses/${fleet.licenseKey}/activations/${copyActivationId(device)}/heartbeat`;
  const requests = Array.from({ length: devices }, (_, index) =>
    integrationRequest(server.port, fleet.apiKey, path(index + 1), {}),
  );
  return { server, requests, expected: renewedActivation };
}

async function measureStage(
  stage: Stage,
  engine: string,
  target: number | null,
  commitsPerSecond?: () => number,
): Promise<Row[]> {
  const server = await startService(stage.site);
  await raiseCeilings(server.port, [stage.fleet.tenantId, stage.desk.tenantId]);
  const { noLimit, limit } = activationsOn(server, stage);
  const contests = [
    { name: `activate, ${engine}, no limit`, contestant: noLimit, target },
    { name: `activate, ${engine}, ${seats} seats each`, contestant: limit, target },
    { name: `heartbeat, ${engine}`, contestant: heartbeatsOn(server, stage), target: null },
  ].map((contest) => ({ ...contest, results: [] as Round[], commits: [] as number[] }));
  for (const { contestant } of contests) await runRound(contestant, warmUpMs);
  for (let round = 0; round < rounds; round += 1) {
    for (const contest of contests) {
      contest.results.push(await runRound(contest.contestant));
      if (commitsPerSecond !== undefined) contest.commits.push(commitsPerSecond());
    }
  }
  await server.stop();
  return contests.map((contest) => ({
    ...rateRow(contest.name, medianRound(contest.results), contest.target),
    ...againstCommits(contest.results, contest.commits),
  }));
}

function againstCommits(results: readonly Round[], commits: readonly number[]): Partial<Row> {
  if (commits.length === 0) return {};
  const ratio = median(results.map((round, index) => round.perSecond / (commits[index] ?? Number.NaN)));
  return { floor: `${perSecond(median(commits))} bare commits`, ratio: times(ratio) };
}

/**
 * The floor of a durable write: `node:sqlite` alone, one transaction after the other, each with two small rows and a
 * flush to the disk, in a file beside the tenants'. Each call measures it again.
 */
function createCommitter(site: Site): () => number {
  const database = new DatabaseSync(join(site.dataDir, 'bare-commits.db'));
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    create table rows (id text primary key not null, body text not null)`);
  const insert = database.prepare('insert into rows values (?, ?)');
  const body = 'x'.repeat(300);
  return () => {
    const startedAt = performance.now();
    let commits = 0;
    while (performance.now() - startedAt < commitsMs) {
      database.exec('BEGIN IMMEDIATE');
      for (let row = 0; row < 2; row += 1) insert.run(newId(), body);
      database.exec('COMMIT');
      commits += 1;
    }
    return (commits / (performance.now() - startedAt)) * 1000;
  };
}
