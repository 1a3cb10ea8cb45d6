import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { benchmarkActiveTenants } from './active-tenants.ts';
import { applyLoad, type Requests, validVerdict } from './load.ts';
import { isQuick, median, warmUpMs } from './measure.ts';
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
const leastShareOfTwo = 0.9;

/** Compares two nodes with one on the same processors, and measures 500 active tenants over the default budget. */
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
    await raiseCeiling(site, original);
    const copies = await withSite(site, (services) =>
      copyApplicant(services, postgres.url, original, activeTenants - 1),
    );
    const all = [...applicants, ...copies];
    const nodes = await compareNodes(site, all.slice(0, busyTenants));
    return [nodes, ...(await benchmarkActiveTenants(site, postgres.url, all))];
  } finally {
    await site.remove();
    await postgres.stop();
  }
}

/** Raises the ceiling of the tenant that is copied. */
async function raiseCeiling(site: Site, { tenantId }: Applicant): Promise<void> {
  const service = await startService(site);
  await raiseCeilings(service.port, [tenantId]);
  await service.stop();
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
