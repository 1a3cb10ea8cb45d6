import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Requests } from './load.ts';
import { isQuick, median, medianRound, type Round, runRound } from './measure.ts';
import { startService } from './processes.ts';
import { type Applicant, type Site, validateRequest } from './site.ts';
import { perSecond, type Row, times } from './table.ts';

const rounds = isQuick ? 1 : 3;
const oneTenantMs = isQuick ? 300 : 3000;
const manyTenantsMs = isQuick ? 1000 : 8000;
/** Long enough that each tenant's database was opened and verified once. */
const warmUpMs = isQuick ? 500 : 10_000;
/** Shorter than the lifetime of a connection; without a pause, counting would use a processor of the measured load. */
const watchEveryMs = 5;
/** The default of TENANT_CONNECTIONS_PER_SERVER. */
const budget = 20;
const leastPerSecondInTurn = 400;
const leastShareOfOneTenant = 0.5;
const seed = 42;

/** Returns numbers from 0 (included) to 1 (excluded), the same ones in each run (mulberry32). */
function seededNumbers(): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick(requests: readonly Buffer[], position: number): Buffer {
  const request = requests[position];
  if (request === undefined) throw new Error('There is no request to send.');
  return request;
}

/** Returns the requests one after another, over all connections together. */
function inTurn(requests: readonly Buffer[]): () => Buffer {
  let position = -1;
  return () => {
    position = (position + 1) % requests.length;
    return pick(requests, position);
  };
}

/** Returns the request at position n with a probability proportional to 1/n: Zipf's distribution with exponent 1. */
function byZipf(requests: readonly Buffer[]): () => Buffer {
  const next = seededNumbers();
  let total = 0;
  const upTo = requests.map((_request, index) => {
    total += 1 / (index + 1);
    return total;
  });
  return () => {
    const drawn = next() * total;
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

/** Measures one node with far more active tenants than connections, and the same node with one tenant. */
export async function benchmarkActiveTenants(
  site: Site,
  serverUrl: string,
  applicants: readonly Applicant[],
): Promise<Row[]> {
  const service = await startService(site);
  const all = applicants.map((applicant) => validateRequest(service.port, applicant));
  const [turns, zipf] = [inTurn(all), byZipf(all)];
  const run = (requests: Requests, durationMs: number) => runRound({ server: service, requests }, durationMs);
  await run(turns, warmUpMs);
  const measured: { one: Round; turns: Round; zipf: Round }[] = [];
  const most = await mostSessionsDuring(serverUrl, async () => {
    for (let index = 0; index < rounds; index += 1)
      measured.push({
        one: await run(all.slice(0, 1), oneTenantMs),
        turns: await run(turns, manyTenantsMs),
        zipf: await run(zipf, manyTenantsMs),
      });
  });
  await service.stop();
  return rowsOf(measured, most, applicants.length);
}

const describe = ({ perSecond: rate, cpuMicros }: Round) =>
  `${perSecond(rate)} (${(cpuMicros / 1000).toFixed(2)} ms CPU)`;

function rowsOf(
  measured: readonly { one: Round; turns: Round; zipf: Round }[],
  mostSessions: number,
  tenants: number,
): Row[] {
  const [one, turns, zipf] = [
    medianRound(measured.map((round) => round.one)),
    medianRound(measured.map((round) => round.turns)),
    medianRound(measured.map((round) => round.zipf)),
  ];
  const shareOf = (rate: (round: { turns: Round; zipf: Round }) => Round) =>
    median(measured.map((round) => rate(round).perSecond / round.one.perSecond));
  const zipfShare = shareOf((round) => round.zipf);
  const floor = `${describe(one)} with one`;
  return [
    {
      name: `connections, ${tenants} active tenants`,
      ours: String(mostSessions),
      floor: `${budget} allowed`,
      ratio: '-',
      target: `≤ ${budget}`,
      verdict: mostSessions <= budget ? 'ok' : 'short',
    },
    {
      name: `validate, PostgreSQL, ${tenants} active tenants in turn`,
      ours: describe(turns),
      floor,
      ratio: times(shareOf((round) => round.turns)),
      target: `≥ ${perSecond(leastPerSecondInTurn)}`,
      verdict: turns.perSecond >= leastPerSecondInTurn ? 'ok' : 'short',
    },
    {
      name: `validate, PostgreSQL, ${tenants} active tenants, Zipf(1)`,
      ours: describe(zipf),
      floor,
      ratio: times(zipfShare),
      target: `≥ ${times(leastShareOfOneTenant)}`,
      verdict: zipfShare >= leastShareOfOneTenant ? 'ok' : 'short',
    },
  ];
}
