import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { loadConfig } from '../packages/server/src/config/config.ts';
import { createKeyring } from '../packages/server/src/lib/keyring.ts';
import { findTenantRecord } from '../packages/server/src/tenancy/tenant-record.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { serveCrowd } from './data.ts';
import { alternate, type Contestant, median, type Round, runRound } from './measure.ts';
import { serveMixed, validationInMix } from './mixed.ts';
import { residentMib, type ServerProcess, startFloor, startService } from './processes.ts';
import { createSite, fetchVerdict, type Site, validateRequest, withSite } from './site.ts';
import { runWrk } from './wrk.ts';

/** A measured figure, and what it was calculated from. */
export interface Figure {
  readonly value: number;
  readonly ours?: string;
  readonly floor?: string;
}

/** Ends everything that a measurement has started, in reverse order. */
async function withResources<Result>(work: (own: AsyncDisposableStack) => Promise<Result>): Promise<Result> {
  await using resources = new AsyncDisposableStack();
  return await work(resources);
}

function ownSite(own: AsyncDisposableStack, site: Site): Site {
  return own.adopt(site, ({ remove }) => remove());
}

function ownServer(own: AsyncDisposableStack, server: ServerProcess): ServerProcess {
  return own.adopt(server, ({ stop }) => stop());
}

const throughWrk = (contestant: Contestant) => (durationMs: number) => runWrk(contestant, durationMs);

/** Returns the median of a figure of each round, with the CPU times of both sides of a ratio. */
function ratioOf<Rounds>(
  all: readonly Rounds[],
  ours: (round: Rounds) => number,
  floor: (round: Rounds) => number,
  direction: 'share' | 'times',
): Figure {
  const micros = (values: readonly number[]) => `${median(values).toFixed(1)} µs`;
  return {
    value: median(
      all.map((round) => (direction === 'share' ? floor(round) / ours(round) : ours(round) / floor(round))),
    ),
    ours: micros(all.map(ours)),
    floor: micros(all.map(floor)),
  };
}

/** Measures validations, writes and their mix on the embedded engine against bare routes, with `wrk`. */
export function measureEmbedded() {
  return withResources(async (own) => {
    const plain = await serveCrowd(ownSite(own, await createSite()));
    ownServer(own, plain.server);
    const site = ownSite(own, await createSite());
    const { server, contestants } = await serveMixed(site);
    ownServer(own, server);
    const answer = await fetchVerdict(plain.server.port, plain.first);
    const route = ownServer(own, await startFloor('floor', { answer }));
    const commits = join(site.dataDir, 'bare-commits.db');
    const committing = ownServer(own, await startFloor('floor', { answer, commitsTo: commits }));
    const requests = plain.crowd.map((applicant) => validateRequest(plain.server.port, applicant));
    const { mix, validate, heartbeat, usage } = contestants;
    const loadedMib: number[] = [];
    const all = await alternate({
      route: throughWrk({ server: route, requests }),
      plain: throughWrk({ server: plain.server, requests }),
      commit: throughWrk({ server: committing, requests }),
      validate: throughWrk(validate),
      mix: throughWrk(mix),
      heartbeat: throughWrk(heartbeat),
      usage: throughWrk(usage),
      // wrk measures the time of all requests together.
      timedMix: async (durationMs) => {
        const round = await runRound(mix, durationMs);
        loadedMib.push(residentMib(server.pid));
        return round;
      },
      timedValidate: (durationMs) => runRound(validate, durationMs),
    });
    type Rounds = (typeof all)[number];
    const cpu = (name: keyof Rounds) => (rounds: Rounds) => rounds[name].cpuMicros;
    const p99 = (name: 'timedMix' | 'timedValidate') => median(all.map((round) => round[name].p99Ms));
    return {
      validate: ratioOf(all, cpu('plain'), cpu('route'), 'share'),
      validationInMix: ratioOf(all, validationInMix, cpu('validate'), 'times'),
      mix: ratioOf(all, cpu('mix'), cpu('route'), 'times'),
      tail: {
        value: median(all.map(({ timedMix, timedValidate }) => timedMix.p99Ms / timedValidate.p99Ms)),
        ours: `${p99('timedMix').toFixed(1)} ms`,
        floor: `${p99('timedValidate').toFixed(1)} ms`,
      },
      heartbeat: ratioOf(all, cpu('heartbeat'), cpu('commit'), 'times'),
      usage: ratioOf(all, cpu('usage'), cpu('commit'), 'times'),
      // The median, because the memory grows by up to 50 MiB until the next full collection of garbage.
      loadedMemory: { value: median(loadedMib) },
    };
  });
}

/** Compares `validate` on PostgreSQL with two pipelined point reads of `pg` behind a bare route, with `wrk`. */
export function measurePostgres() {
  return withResources(async (own) => {
    const postgres = own.adopt(await startPostgres(), (started) => started.stop());
    const site = ownSite(own, await createSite(postgres.url));
    const { server, crowd, first } = await serveCrowd(site);
    ownServer(own, server);
    const record = await withSite(site, async ({ platform }) => findTenantRecord(platform, first.tenantId));
    const tenantUrl = new URL(postgres.url);
    tenantUrl.pathname = `/${record?.database_name}`;
    const keyHash = createKeyring(loadConfig(site.env).appKey ?? '').hash(first.apiKey);
    const reads = { platformUrl: postgres.url, tenantUrl: tenantUrl.href, keyHash };
    const answer = await fetchVerdict(server.port, first);
    const reading = ownServer(own, await startFloor('floor', { answer, reads }));
    const requests = crowd
      .filter(({ tenantId }) => tenantId === first.tenantId)
      .map((applicant) => validateRequest(server.port, applicant));
    const all = await alternate({
      ours: throughWrk({ server, requests }),
      floor: throughWrk({ server: reading, requests }),
    });
    const cpu = (name: 'ours' | 'floor') => (rounds: Record<'ours' | 'floor', Round>) => rounds[name].cpuMicros;
    return { postgres: ratioOf(all, cpu('ours'), cpu('floor'), 'share') };
  });
}

/** Returns the bytes of the OpenAPI document as the service sends it in brotli. */
export function measureDocument(): Promise<number> {
  return withResources(async (own) => {
    const { port } = ownServer(own, await startService(ownSite(own, await createSite())));
    const request = get({ port, path: '/openapi.json', headers: { 'accept-encoding': 'br' } });
    const [response]: [IncomingMessage] = (await once(request, 'response')) as [IncomingMessage];
    if (response.headers['content-encoding'] !== 'br') throw new Error('The document is not in brotli.');
    let bytes = 0;
    for await (const chunk of response) bytes += chunk.length;
    return bytes;
  });
}
