import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { inParallel } from '../packages/server/src/lib/work-queue.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { tenantsOf } from './data.ts';
import { inTurn, type Request, type Requests } from './load.ts';
import { type Contestant, isQuick, median, medianRound, type Round, rounds, runRound, warmUpMs } from './measure.ts';
import { residentMib, type ServerProcess, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  createSite,
  raiseCeilings,
  type Site,
  validateRequest,
  withSite,
} from './site.ts';
import { describeRound, type Row, times } from './table.ts';

const embeddedTenants = isQuick ? 100 : 2000;
const memoryTargetKib = 300;
const createdAtOnce = 8;
const postgresTenants = isQuick ? 40 : 500;
/** The default of TENANT_CONNECTIONS_PER_SERVER. */
const connectionBudget = 20;
const manyTenantsMs = isQuick ? 1000 : 8000;
/** Long enough that each tenant's database was opened and verified once. */
const firstOpenMs = isQuick ? 500 : 10_000;
/** Shorter than the lifetime of a connection; without a pause, counting would use a processor of the measured load. */
const watchEveryMs = 5;
const targets = { perSecondInTurn: 400, shareByZipf: 0.5 };

/** Measures the embedded engine with 2,000 tenants in turn: all open, and with the default pool of 500. */
export async function benchmarkTenants(): Promise<Row[]> {
  const site = await createSite();
  try {
    const applicants = await createApplicants(site, embeddedTenants);
    return [await withAllOpen(site, applicants), await withSmallPool(site, applicants)];
  } finally {
    await site.remove();
  }
}

async function createApplicants(site: Site, count: number): Promise<Applicant[]> {
  const created: Applicant[] = [];
  await withSite(site, async (services) => {
    await createAdmin(services);
    const numbers = Array.from({ length: count }, (_, index) => index);
    await inParallel(numbers, createdAtOnce, async (number) => {
      created.push(await createApplicant(services, `Tenant ${number}`));
    });
  });
  const service = await startService(site);
  await raiseCeilings(service.port, tenantsOf(created));
  await service.stop();
  return created;
}

function contestant(server: ServerProcess, applicants: readonly Applicant[]): Contestant {
  return { server, requests: applicants.map((applicant) => validateRequest(server.port, applicant)) };
}

async function withAllOpen(site: Site, applicants: readonly Applicant[]): Promise<Row> {
  const service = await startService(site);
  await runRound(contestant(service, applicants.slice(0, 1)), warmUpMs);
  const beforeMib = residentMib(service.pid);
  await runRound(contestant(service, applicants), warmUpMs);
  const afterMib = residentMib(service.pid);
  await service.stop();
  const kibPerTenant = ((afterMib - beforeMib) * 1024) / (applicants.length - 1);
  return {
    name: `memory per open tenant, ${applicants.length} open`,
    ours: `${kibPerTenant.toFixed(0)} KiB (${Math.round(afterMib)} MiB in all)`,
    floor: `${Math.round(beforeMib)} MiB with one`,
    ratio: '-',
    target: `≤ ${memoryTargetKib} KiB`,
    verdict: kibPerTenant <= memoryTargetKib ? 'ok' : 'short',
  };
}

/** Every request of such a load closes one tenant and opens another: the worst case. */
async function withSmallPool(site: Site, applicants: readonly Applicant[]): Promise<Row> {
  const service = await startService(site, { TENANT_POOL_SIZE: String(applicants.length / 4) });
  const one = contestant(service, applicants.slice(0, 1));
  const all = contestant(service, applicants);
  for (const load of [one, all]) await runRound(load, warmUpMs);
  const pairs: { one: Round; all: Round }[] = [];
  for (let index = 0; index < rounds; index += 1) pairs.push({ one: await runRound(one), all: await runRound(all) });
  const resident = `${Math.round(residentMib(service.pid))} MiB`;
  await service.stop();
  return {
    name: `validate over ${applicants.length} tenants, a quarter open, ${resident}`,
    ours: describeRound(medianRound(pairs.map((pair) => pair.all))),
    floor: `${describeRound(medianRound(pairs.map((pair) => pair.one)))} with one`,
    ratio: times(median(pairs.map((pair) => pair.all.perSecond / pair.one.perSecond))),
    ...{ target: '-', verdict: 'info' },
  };
}

/** Measures one node with far more active tenants than connections, and the same node with one tenant. */
export async function benchmarkPostgresTenants(): Promise<Row[]> {
  const postgres = await startPostgres();
  const site = await createSite(postgres.url);
  try {
    return await measureActiveTenants(site, postgres.url, await createApplicants(site, postgresTenants));
  } finally {
    await site.remove();
    await postgres.stop();
  }
}

async function measureActiveTenants(site: Site, serverUrl: string, applicants: readonly Applicant[]): Promise<Row[]> {
  const service = await startService(site);
  const all = applicants.map((applicant) => validateRequest(service.port, applicant));
  const [turns, zipf] = [inTurn(all), byZipf(all)];
  const run = (requests: Requests, durationMs: number) => runRound({ server: service, requests }, durationMs);
  await run(turns, firstOpenMs);
  const measured: { one: Round; turns: Round; zipf: Round }[] = [];
  const mostSessions = await mostSessionsDuring(serverUrl, async () => {
    for (let index = 0; index < rounds; index += 1)
      measured.push({
        one: await run(all.slice(0, 1), warmUpMs),
        turns: await run(turns, manyTenantsMs),
        zipf: await run(zipf, manyTenantsMs),
      });
  });
  await service.stop();
  const of = (load: 'one' | 'turns' | 'zipf') => medianRound(measured.map((round) => round[load]));
  const shareOf = (load: 'turns' | 'zipf') =>
    median(measured.map((round) => round[load].perSecond / round.one.perSecond));
  const name = `validate, PostgreSQL, ${applicants.length} active tenants`;
  const floor = `${describeRound(of('one'))} with one`;
  return [
    {
      name: `connections, ${applicants.length} active tenants`,
      ours: String(mostSessions),
      floor: `${connectionBudget} allowed`,
      ...{ ratio: '-', target: `≤ ${connectionBudget}`, verdict: mostSessions <= connectionBudget ? 'ok' : 'short' },
    },
    {
      name: `${name} in turn`,
      ours: describeRound(of('turns')),
      floor,
      ratio: times(shareOf('turns')),
      target: `≥ ${targets.perSecondInTurn}/s`,
      verdict: of('turns').perSecond >= targets.perSecondInTurn ? 'ok' : 'short',
    },
    {
      name: `${name}, Zipf(1)`,
      ours: describeRound(of('zipf')),
      floor,
      ratio: times(shareOf('zipf')),
      target: `≥ ${times(targets.shareByZipf)}`,
      verdict: shareOf('zipf') >= targets.shareByZipf ? 'ok' : 'short',
    },
  ];
}

/** Returns the request at position n with a probability proportional to 1/n: Zipf's distribution with exponent 1. */
function byZipf(requests: readonly Request[]): () => Request {
  let total = 0;
  const upTo = requests.map((_request, index) => {
    total += 1 / (index + 1);
    return total;
  });
  return () => {
    const drawn = Math.random() * total;
    return requests[upTo.findIndex((sum) => drawn < sum)] as Request;
  };
}

/** Returns the maximum number of simultaneous sessions in the tenants' databases while `work` runs. */
async function mostSessionsDuring(serverUrl: string, work: () => Promise<void>): Promise<number> {
  const watcher = new Client({ connectionString: serverUrl });
  await watcher.connect();
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    const query = "select count(*)::int as open from pg_stat_activity where datname like 'tenant\\_%'";
    while (!isOver) {
      most = Math.max(most, (await watcher.query<{ open: number }>(query)).rows[0]?.open ?? 0);
      await pause(watchEveryMs);
    }
  })();
  await work();
  isOver = true;
  await watching;
  await watcher.end();
  return most;
}
