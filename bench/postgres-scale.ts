import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { applyLoad, type Requests, validVerdict } from './load.ts';
import { isQuick, median, runRound, warmUpMs } from './measure.ts';
import { copyApplicant } from './postgres-tenants.ts';
import { type ServerProcess, startService } from './processes.ts';
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
import { perSecond, type Row, times } from './table.ts';

const busyTenants = 8;
const activeTenants = isQuick ? 40 : 500;
const connections = 64;
const rounds = isQuick ? 1 : 5;
const roundMs = isQuick ? 500 : 3000;
const activeMs = isQuick ? 2000 : 20_000;
/** Shorter than the lifetime of a connection; without a pause, counting would use a processor of the measured load. */
const watchEveryMs = 5;
const leastShareOfTwo = 0.9;
/** The default of TENANT_CONNECTIONS_PER_SERVER. */
const budget = 20;

/** Compares two nodes with one on the same processors, and counts the connections of 500 active tenants. */
export async function benchmarkPostgresScale(): Promise<Row[]> {
  const postgres = await startPostgres();
  const site = await createSite(postgres.url);
  try {
    const applicants = await withSite(site, async (services) => {
      await createAdmin(services);
      return [await createApplicant(services, 'Tenant')];
    });
    const [original] = applicants;
    if (original === undefined) throw new Error('There is no tenant to copy.');
    const copies = await withSite(site, (services) =>
      copyApplicant(services, postgres.url, original, activeTenants - 1),
    );
    const all = [...applicants, ...copies];
    return [await compareNodes(site, all.slice(0, busyTenants)), ...(await countConnections(site, postgres.url, all))];
  } finally {
    await site.remove();
    await postgres.stop();
  }
}

const requestsTo = (port: number, applicants: readonly Applicant[]): Requests =>
  applicants.map((applicant) => validateRequest(port, applicant));

/** Loads one node with all connections, or two nodes with half of them each. */
async function loadNodes(
  nodes: readonly ServerProcess[],
  applicants: readonly Applicant[],
  durationMs: number,
): Promise<number> {
  const share = connections / nodes.length;
  const rates = await Promise.all(
    nodes.map(({ port }) =>
      applyLoad(
        { port, requests: requestsTo(port, applicants), expected: validVerdict, connections: share },
        durationMs,
      ),
    ),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

async function compareNodes(site: Site, applicants: readonly Applicant[]): Promise<Row> {
  const [first, second] = [await startService(site), await startService(site)];
  await raiseCeilings(
    first.port,
    applicants.map(({ tenantId }) => tenantId),
  );
  const [one, two] = [[first], [first, second]];
  for (const nodes of [one, two]) await loadNodes(nodes, applicants, warmUpMs);
  const pairs: { one: number; two: number }[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const order = index % 2 === 0 ? [one, two] : [two, one];
    const rates = new Map<readonly ServerProcess[], number>();
    for (const nodes of order) rates.set(nodes, await loadNodes(nodes, applicants, roundMs));
    pairs.push({ one: rates.get(one) ?? 0, two: rates.get(two) ?? 0 });
  }
  await Promise.all([first.stop(), second.stop()]);
  const share = median(pairs.map((pair) => pair.two / pair.one));
  return {
    name: 'validate, PostgreSQL, two nodes in total',
    ours: perSecond(median(pairs.map((pair) => pair.two))),
    floor: `${perSecond(median(pairs.map((pair) => pair.one)))} with one`,
    ratio: times(share),
    target: `≥ ${times(leastShareOfTwo)}`,
    verdict: share >= leastShareOfTwo ? 'ok' : 'short',
  };
}

async function countConnections(site: Site, serverUrl: string, applicants: readonly Applicant[]): Promise<Row[]> {
  const service = await startService(site);
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
  const requests = requestsTo(service.port, applicants);
  const { perSecond: rate, cpuMicros } = await runRound({ server: service, requests }, activeMs);
  isOver = true;
  await watching;
  await watcher.end();
  await service.stop();
  const name = `${applicants.length} active tenants`;
  return [
    {
      name: `connections, ${name}`,
      ours: String(most),
      floor: `${budget} allowed`,
      ratio: '-',
      target: `≤ ${budget}`,
      verdict: most <= budget ? 'ok' : 'short',
    },
    {
      name: `validate, PostgreSQL, ${name}`,
      ours: `${perSecond(rate)} (${(cpuMicros / 1000).toFixed(1)} ms CPU)`,
      floor: '-',
      ratio: '-',
      target: '-',
      verdict: 'info',
    },
  ];
}
