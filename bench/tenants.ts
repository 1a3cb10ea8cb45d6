import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { OpenServices } from '../packages/server/src/app.ts';
import { scramVerifier } from '../packages/server/src/db/postgres/scram.ts';
import { newId } from '../packages/server/src/lib/ids.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import type { Request, Requests } from './load.ts';
import { type Contestant, isQuick, median, medianRound, type Round, rounds, runRound, warmUpMs } from './measure.ts';
import { openFiles, residentKib, type ServerProcess, startService } from './processes.ts';
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
    const applicants = await withSite(site, async (services) => {
      await createAdmin(services);
      const created: Applicant[] = [];
      for (let index = 0; index < embeddedTenants; index += 1)
        created.push(await createApplicant(services, `Tenant ${index}`));
      return created;
    });
    return [await withAllOpen(site, applicants), await withSmallPool(site, applicants)];
  } finally {
    await site.remove();
  }
}

/** Raises the ceiling of the tenant that receives all requests of a round; the others stay far below the default. */
async function startWithPool(site: Site, applicants: readonly Applicant[], poolSize: number): Promise<ServerProcess> {
  const service = await startService(site, { TENANT_POOL_SIZE: String(poolSize) });
  await raiseCeilings(
    service.port,
    applicants.slice(0, 1).map(({ tenantId }) => tenantId),
  );
  return service;
}

function contestant(server: ServerProcess, applicants: readonly Applicant[]): Contestant {
  return { server, requests: applicants.map((applicant) => validateRequest(server.port, applicant)) };
}

async function withAllOpen(site: Site, applicants: readonly Applicant[]): Promise<Row> {
  const service = await startWithPool(site, applicants, 2500);
  await runRound(contestant(service, applicants.slice(0, 1)), warmUpMs);
  const beforeKib = residentKib(service.pid);
  await runRound(contestant(service, applicants), warmUpMs);
  const afterKib = residentKib(service.pid);
  const files = openFiles(service.pid);
  await service.stop();
  const kibPerTenant = (afterKib - beforeKib) / (applicants.length - 1);
  return {
    name: `memory per open tenant, ${applicants.length} open`,
    ours: `${kibPerTenant.toFixed(0)} KiB (${Math.round(afterKib / 1024)} MiB and ${files} files in all)`,
    floor: `${Math.round(beforeKib / 1024)} MiB with one`,
    ratio: '-',
    target: `≤ ${memoryTargetKib} KiB`,
    verdict: kibPerTenant <= memoryTargetKib ? 'ok' : 'short',
  };
}

/** Every request of such a load closes one tenant and opens another: the worst case. */
async function withSmallPool(site: Site, applicants: readonly Applicant[]): Promise<Row> {
  const service = await startWithPool(site, applicants, Math.ceil(applicants.length / 4));
  const one = contestant(service, applicants.slice(0, 1));
  const all = contestant(service, applicants);
  for (const load of [one, all]) await runRound(load, warmUpMs);
  const pairs: { one: Round; all: Round }[] = [];
  for (let index = 0; index < rounds; index += 1) pairs.push({ one: await runRound(one), all: await runRound(all) });
  const resident = `${Math.round(residentKib(service.pid) / 1024)} MiB`;
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
    const original = await withSite(site, async (services) => {
      await createAdmin(services);
      return createApplicant(services, 'Tenant');
    });
    // Before it is copied.
    const first = await startService(site);
    await raiseCeilings(first.port, [original.tenantId]);
    await first.stop();
    const copies = await withSite(site, (services) =>
      copyApplicant(services, postgres.url, original, postgresTenants - 1),
    );
    return await measureActiveTenants(site, postgres.url, [original, ...copies]);
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

function pick(requests: readonly Request[], position: number): Request {
  const request = requests[position];
  if (request === undefined) throw new Error('There is no request to send.');
  return request;
}

/** Returns the requests one after another, over all connections together. */
function inTurn(requests: readonly Request[]): () => Request {
  let position = -1;
  return () => {
    position = (position + 1) % requests.length;
    return pick(requests, position);
  };
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
    const position = upTo.findIndex((sum) => drawn < sum);
    return pick(requests, position);
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

/**
 * Creates `count` copies of a tenant without the service: copies its database, and its rows of the platform. No session
 * may be connected to that database meanwhile.
 */
async function copyApplicant(
  { platform, keyring, clock }: OpenServices,
  serverUrl: string,
  original: Applicant,
  count: number,
): Promise<Applicant[]> {
  const tenants = platform.query.selectFrom('tenants').selectAll().where('id', '=', original.tenantId);
  const keys = platform.query.selectFrom('api_keys').selectAll().where('tenant_id', '=', original.tenantId);
  const [tenant, key] = [await tenants.executeTakeFirstOrThrow(), await keys.executeTakeFirstOrThrow()];
  const template = tenant.database_name ?? '';
  const admin = new Client({ connectionString: serverUrl });
  await admin.connect();
  const copies: Applicant[] = [];
  for (let index = 0; index < count; index += 1) {
    const tenantId = newId();
    const apiKey = `vx_${randomBytes(32).toString('hex')}`;
    const login = { databaseName: `tenant_${tenantId.replaceAll('-', '')}`, password: randomBytes(16).toString('hex') };
    await copyDatabase(admin, serverUrl, { template, tenantId, login });
    const row = { id: tenantId, database_name: login.databaseName, database_secret: keyring.seal(login.password) };
    await platform.query
      .insertInto('tenants')
      .values({ ...tenant, ...row, created_at: clock.now() })
      .execute();
    await platform.query
      .insertInto('api_keys')
      .values({ ...key, id: newId(), tenant_id: tenantId, key_hash: keyring.hash(apiKey) })
      .execute();
    copies.push({ ...original, tenantId, apiKey });
  }
  await admin.query(`alter database ${template} owner to ${template}`);
  await admin.end();
  return copies;
}

interface Copy {
  readonly template: string;
  readonly tenantId: string;
  readonly login: { readonly databaseName: string; readonly password: string };
}

async function copyDatabase(admin: Client, serverUrl: string, { template, tenantId, login }: Copy): Promise<void> {
  const { databaseName: name, password } = login;
  await admin.query(`create role ${name} login password '${scramVerifier(password)}'`);
  await admin.query(`create database ${name} owner ${name} template ${template}`);
  await admin.query(`revoke all on database ${name} from public`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const copy = new Client({ connectionString: url.href });
  await copy.connect();
  // Before the change: the triggers have the rights of their owner, who must own the database.
  await copy.query(`reassign owned by ${template} to ${name}`);
  await copy.query(`update tenant_identity set tenant_id = '${tenantId}'`);
  await copy.end();
}
