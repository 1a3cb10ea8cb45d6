import { countUseOfEach, createCrowd, crowdName, tenantsOf } from './crowd.ts';
import { type Comparison, type Contestant, compare, compareRounds } from './measure.ts';
import { replacingModule, type ServerProcess, sourceFile, startFloor, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createSite,
  fetchVerdict,
  raiseCeilings,
  type Site,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, type Row } from './table.ts';
import { runWrk } from './wrk.ts';

const plainTarget = 0.5;
const meteredTarget = 0.4;
const withoutUnchangedReads = replacingModule('db/sqlite/unchanged-reads.ts', 'servers/no-unchanged-reads.ts');

/** Measures `validate` on the embedded engine: against a bare Fastify route, and with a step removed. */
export async function benchmarkEmbedded(): Promise<Row[]> {
  const site = await createSite();
  try {
    await withSite(site, createAdmin);
    const plain = await createCrowd(site, 'plain');
    const metered = await createCrowd(site, 'metered');
    const name = `validate, ${crowdName}`;
    return [
      comparisonRow(name, await againstFloor(site, plain), plainTarget),
      comparisonRow(
        `${name}, three entitlements, one metered`,
        await againstFloor(site, metered, 'metered'),
        meteredTarget,
      ),
      comparisonRow(`${name}, wrk, LOG_LEVEL=warn`, await throughWrk(site, plain), plainTarget),
      comparisonRow(`${name}, against the service without unchanged-reads`, await againstRereading(site, plain), null),
    ];
  } finally {
    await site.remove();
  }
}

async function startFor(
  crowd: readonly Applicant[],
  ...start: Parameters<typeof startService>
): Promise<ServerProcess> {
  const service = await startService(...start);
  await raiseCeilings(service.port, tenantsOf(crowd));
  return service;
}

function contestant(server: ServerProcess, crowd: readonly Applicant[]): Contestant {
  return { server, requests: crowd.map((applicant) => validateRequest(server.port, applicant)) };
}

/** Starts the bare route with a verdict of the service as its response. */
async function startBareRoute(service: ServerProcess, [applicant]: readonly Applicant[]): Promise<ServerProcess> {
  if (applicant === undefined) throw new Error('There is nobody to ask for.');
  return startFloor('floor', { answer: await fetchVerdict(service.port, applicant) });
}

async function againstFloor(site: Site, crowd: readonly Applicant[], kind?: 'metered'): Promise<Comparison> {
  const service = await startFor(crowd, site);
  if (kind === 'metered') await countUseOfEach(service.port, crowd);
  const floor = await startBareRoute(service, crowd);
  const comparison = await compare(contestant(service, crowd), contestant(floor, crowd));
  await Promise.all([service.stop(), floor.stop()]);
  return comparison;
}

/** Compares through an external load generator, without the log line per request. */
async function throughWrk(site: Site, crowd: readonly Applicant[]): Promise<Comparison> {
  const service = await startFor(crowd, site, { LOG_LEVEL: 'warn' });
  const floor = await startBareRoute(service, crowd);
  const comparison = await compareRounds(
    (durationMs) => runWrk(contestant(service, crowd), durationMs),
    (durationMs) => runWrk(contestant(floor, crowd), durationMs),
  );
  await Promise.all([service.stop(), floor.stop()]);
  return comparison;
}

/** Compares with the service that reads the rows of the platform database again for each request. */
async function againstRereading(site: Site, crowd: readonly Applicant[]): Promise<Comparison> {
  const other = await createSite();
  try {
    await withSite(other, createAdmin);
    const otherCrowd = await createCrowd(other, 'plain');
    const service = await startFor(crowd, site, {}, sourceFile);
    const rereading = await startFor(otherCrowd, other, withoutUnchangedReads, sourceFile);
    const comparison = await compare(contestant(service, crowd), contestant(rereading, otherCrowd));
    await Promise.all([service.stop(), rereading.stop()]);
    return comparison;
  } finally {
    await other.remove();
  }
}
