import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { newId } from '../packages/server/src/lib/ids.ts';
import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { crowdName, serveCrowd } from './data.ts';
import { inTurn, validVerdict } from './load.ts';
import { type Contestant, isQuick, median, medianRound, type Round, rounds, runRound } from './measure.ts';
import { type Program, programOf, type ServerProcess, startFloor } from './processes.ts';
import {
  type Applicant,
  createSite,
  fetchVerdict,
  heartbeatRequest,
  leasedAndMetered,
  type Site,
  usageRequest,
  validateRequest,
} from './site.ts';
import { describeRound, perSecond, type Row, times } from './table.ts';

/** Shares of the writes in the mix; all other requests validate. */
const heartbeatShare = 0.05;
const usageShare = 0.05;
const validateShare = 1 - heartbeatShare - usageShare;
/** Before each round: after it, no verdict is unknown because of the round before. */
const settleMs = isQuick ? 100 : 1000;
const commitsMs = isQuick ? 100 : 1000;

const targets = { validationInMix: 1.3, unknown: 1.8, mix: 1.25, p99: 4 };

/** Folders of other checkouts, to compare with this one. */
const candidates = process.env['BENCH_CANDIDATES']?.split(',') ?? [];

const parts = ['mix', 'validate', 'unknown', 'heartbeat', 'usage'] as const;
type Part = (typeof parts)[number];
/** What the parts of one installation cost in one round. */
type Rounds = Record<Part, Round>;
/** What the floors cost in one round: a bare route for validations, and bare commits for writes. */
interface Floors {
  readonly route: Round;
  readonly commit: Round;
}

/** Measures validations among heartbeats and usage reports of the same licenses, on the embedded engine. */
export function benchmarkMixed(): Promise<Row[]> {
  return measure('embedded', createSite, createFileCommitter);
}

/** Measures the same on a PostgreSQL that flushes its log at every commit. */
export async function benchmarkPostgresMixed(): Promise<Row[]> {
  const servers: { stop(): Promise<void> }[] = [];
  const createPostgresSite = async () => {
    const server = await startPostgres({ durable: true });
    servers.push(server);
    return createSite(server.url);
  };
  try {
    return await measure('PostgreSQL', createPostgresSite, createPostgresCommitter);
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** The service of one checkout, with its own data. */
interface Installation {
  readonly site: Site;
  readonly server: ServerProcess;
  readonly first: Applicant;
  readonly contestants: Record<Part, Contestant>;
}

async function install(createSiteOf: () => Promise<Site>, program?: Program): Promise<Installation> {
  const site = await createSiteOf();
  const { server, crowd, first } = await serveCrowd(site, leasedAndMetered, program);
  const requests = requestsOf(server.port, crowd);
  const contestants = {
    mix: { server, requests: requests.mix, timed: validVerdict },
    validate: { server, requests: requests.validate },
    unknown: { server, requests: requests.unknown },
    heartbeat: { server, requests: requests.heartbeat },
    usage: { server, requests: requests.usage },
  };
  return { site, server, first, contestants };
}

function requestsOf(port: number, crowd: readonly Applicant[]) {
  const validate = crowd.map((applicant) => validateRequest(port, applicant));
  const heartbeat = crowd.map((applicant) => heartbeatRequest(port, applicant));
  const usage = crowd.map((applicant) => usageRequest(port, applicant));
  const anyOf = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;
  const nextValidation = inTurn(validate);
  const nextApplicant = inTurn(crowd);
  let releasedMs = Date.UTC(2001);
  return {
    validate,
    heartbeat,
    usage,
    /** Validations with another question each, whose verdicts are in no cache. */
    unknown: () => {
      releasedMs += 1;
      return validateRequest(port, nextApplicant(), { version_released_at: new Date(releasedMs).toISOString() });
    },
    mix: () => {
      const drawn = Math.random();
      if (drawn < heartbeatShare) return anyOf(heartbeat);
      return drawn < heartbeatShare + usageShare ? anyOf(usage) : nextValidation();
    },
  };
}

/** Commits two small rows, durably. */
interface Committer {
  commit(): Promise<unknown>;
  close(): Promise<void>;
}

const createRows = 'create table bare_commits (id text primary key not null, body text not null)';
const body = 'x'.repeat(300);

function createFileCommitter(site: Site): Committer {
  const database = new DatabaseSync(join(site.dataDir, 'bare-commits.db'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${createRows}`);
  const insert = database.prepare('insert into bare_commits values (?, ?), (?, ?)');
  return {
    commit: async () => insert.run(newId(), body, newId(), body),
    close: async () => database.close(),
  };
}

async function createPostgresCommitter(site: Site): Promise<Committer> {
  const client = new Client({ connectionString: site.env['DATABASE_URL'] ?? '' });
  await client.connect();
  await client.query(createRows);
  const insert = { name: 'insert', text: 'insert into bare_commits values ($1, $2), ($3, $4)' };
  return {
    commit: () => client.query({ ...insert, values: [newId(), body, newId(), body] }),
    close: () => client.end(),
  };
}

/** Measures commits from this process, one after the other. */
async function roundOfCommits(committer: Committer): Promise<Round> {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  let commits = 0;
  while (performance.now() - startedAt < commitsMs) {
    await committer.commit();
    commits += 1;
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: commits / seconds, cpuMicros: (user + system) / commits, p99Ms: Number.NaN };
}

/** Measures this checkout, and those in the folders of `BENCH_CANDIDATES` beside it, in alternating rounds. */
async function measure(
  engine: string,
  createSiteOf: () => Promise<Site>,
  createCommitter: (site: Site) => Committer | Promise<Committer>,
): Promise<Row[]> {
  const ours = await install(createSiteOf);
  const all = [ours];
  for (const folder of candidates) all.push(await install(createSiteOf, programOf(folder)));
  const bare = await startFloor('floor', { answer: await fetchVerdict(ours.server.port, ours.first) });
  const route = { server: bare, requests: ours.contestants.validate.requests };
  const committer = await createCommitter(ours.site);
  const results: Rounds[][] = [];
  const floors: Floors[] = [];
  try {
    // The first round is the warm-up.
    for (let index = 0; index <= rounds; index += 1) {
      results.push(await roundOfAll(index % 2 === 0 ? all : all.toReversed()));
      if (index % 2 === 1) results.at(-1)?.reverse();
      floors.push({ route: await runRound(route), commit: await roundOfCommits(committer) });
    }
  } finally {
    await committer.close();
    for (const server of [bare, ...all.map((installation) => installation.server)]) await server.stop();
    for (const { site } of all) await site.remove();
  }
  const resultsOf = (which: number) => results.slice(1).flatMap((round) => round[which] ?? []);
  return [
    ...rowsOf(engine, resultsOf(0), floors.slice(1)),
    ...candidates.flatMap((name, index) => candidateRows(`${name}, ${engine}`, resultsOf(0), resultsOf(index + 1))),
  ];
}

/** Measures each part of each installation in turn. */
async function roundOfAll(installations: readonly Installation[]): Promise<Rounds[]> {
  const results = installations.map(() => ({}) as Rounds);
  for (const part of parts)
    for (const [index, { contestants }] of installations.entries()) {
      const contestant = contestants[part];
      await runRound(contestant, settleMs);
      (results[index] as Rounds)[part] = await runRound(contestant);
    }
  return results;
}

/** Returns the CPU time of a mixed request if each part cost what it costs alone. */
const sumOfParts = ({ validate, heartbeat, usage }: Rounds) =>
  validateShare * validate.cpuMicros + heartbeatShare * heartbeat.cpuMicros + usageShare * usage.cpuMicros;

/** Returns the CPU time of a validation in the mix, if a write there costs what it costs alone. */
const validationInMix = (round: Rounds) =>
  (round.mix.cpuMicros - heartbeatShare * round.heartbeat.cpuMicros - usageShare * round.usage.cpuMicros) /
  validateShare;

function rowsOf(engine: string, all: readonly Rounds[], floors: readonly Floors[]): Row[] {
  const of = (part: Part) => medianRound(all.map((round) => round[part]));
  const medianOf = (figure: (round: Rounds) => number) => median(all.map(figure));
  const floorMicros = floors.map(
    ({ route, commit }) => validateShare * route.cpuMicros + (1 - validateShare) * commit.cpuMicros,
  );
  const floorRates = floors.map(
    ({ route, commit }) => 1 / (validateShare / route.perSecond + (1 - validateShare) / commit.perSecond),
  );
  const shareOf = (figures: readonly number[], ours: (round: Rounds) => number) =>
    median(all.map((round, index) => (figures[index] ?? Number.NaN) / ours(round)));
  const rateShare = 1 / shareOf(floorRates, ({ mix }) => mix.perSecond);
  const cpuShare = shareOf(floorMicros, ({ mix }) => mix.cpuMicros);
  const part = (name: string, which: Part): Row => ({
    name: `  ${name}`,
    ours: describeRound(of(which)),
    ...{ floor: '-', ratio: '-', target: '-', verdict: 'info' },
  });
  const micros = (figure: (round: Rounds) => number) => `${medianOf(figure).toFixed(1)} µs CPU`;
  const ratio = (name: string, ours: string, floor: string, value: number, most: number): Row => ({
    name: `  ${name}`,
    ...{ ours, floor, ratio: times(value), target: `≤ ${times(most)}`, verdict: value <= most ? 'ok' : 'short' },
  });
  const validateAlone = micros(({ validate }) => validate.cpuMicros);
  return [
    {
      name: `mixed, ${engine}, ${crowdName}: 90 % validate, 5 % heartbeat, 5 % usage`,
      ours: describeRound(of('mix')),
      floor: `${perSecond(median(floorRates))} (${median(floorMicros).toFixed(1)} µs CPU)`,
      ...{ ratio: `${times(rateShare)} (CPU ${times(cpuShare)})`, target: '-', verdict: 'info' },
    },
    part('validate alone', 'validate'),
    part('validate alone, unknown to the cache', 'unknown'),
    part('heartbeat alone', 'heartbeat'),
    part('usage alone, one event', 'usage'),
    ratio(
      'a validation in the mix against alone',
      micros(validationInMix),
      validateAlone,
      medianOf((round) => validationInMix(round) / round.validate.cpuMicros),
      targets.validationInMix,
    ),
    ratio(
      'the mix against the sum of its parts',
      micros(({ mix }) => mix.cpuMicros),
      micros(sumOfParts),
      medianOf((round) => round.mix.cpuMicros / sumOfParts(round)),
      targets.mix,
    ),
    ratio(
      'a validation unknown to the cache against a known one',
      micros(({ unknown }) => unknown.cpuMicros),
      validateAlone,
      medianOf(({ unknown, validate }) => unknown.cpuMicros / validate.cpuMicros),
      targets.unknown,
    ),
    ratio(
      'p99 of validations in the mix against alone',
      `${of('mix').p99Ms.toFixed(1)} ms`,
      `${of('validate').p99Ms.toFixed(1)} ms`,
      medianOf(({ mix, validate }) => mix.p99Ms / validate.p99Ms),
      targets.p99,
    ),
  ];
}

/** Returns the other checkout's figures beside ours; the ratio is its CPU time divided by ours. */
function candidateRows(name: string, ours: readonly Rounds[], theirs: readonly Rounds[]): Row[] {
  return parts.map((part) => ({
    name: `${name}: ${part}`,
    ours: describeRound(medianRound(theirs.map((round) => round[part]))),
    floor: describeRound(medianRound(ours.map((round) => round[part]))),
    ratio: `CPU ${median(theirs.map((round, index) => round[part].cpuMicros / (ours[index]?.[part].cpuMicros ?? Number.NaN))).toFixed(3)}×`,
    ...{ target: '-', verdict: 'info' },
  }));
}
