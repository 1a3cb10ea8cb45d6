import { startPostgres } from '../packages/server/test/support/postgres-server.ts';
import { crowdName, serveCrowd } from './data.ts';
import { type Request, validVerdict } from './load.ts';
import { alternate, type Contestant, median, medianRound, type Round, type RunRound, runRound } from './measure.ts';
import { type Program, programOf } from './processes.ts';
import {
  type Applicant,
  createSite,
  heartbeatRequest,
  leasedAndMetered,
  type Site,
  usageRequest,
  validateRequest,
} from './site.ts';
import { describeRound, type Row } from './table.ts';

/** Shares of the writes in the mix; all other requests validate. */
const heartbeatShare = 0.05;
const usageShare = 0.05;
const validateShare = 1 - heartbeatShare - usageShare;
/** How often the mix asks for each license before it repeats itself. */
const mixLength = 20;

/** Folders of other checkouts, to compare with this one. */
const candidates = process.env['BENCH_CANDIDATES']?.split(',') ?? [];

const parts = ['mix', 'validate', 'heartbeat', 'usage'] as const;
type Part = (typeof parts)[number];

/** Measures validations among heartbeats and usage reports of the same licenses, on the embedded engine. */
export function benchmarkMixed(): Promise<Row[]> {
  return measure('embedded', createSite);
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
    return await measure('PostgreSQL', createPostgresSite);
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Serves the licenses of the mix, with a lease and a metered entitlement. */
export async function serveMixed(site: Site, program?: Program) {
  const { server, crowd } = await serveCrowd(site, leasedAndMetered, program);
  const requests = requestsOf(server.port, crowd);
  const contestants: Record<Part, Contestant> = {
    mix: { server, requests: requests.mix, timed: validVerdict },
    validate: { server, requests: requests.validate },
    heartbeat: { server, requests: requests.heartbeat },
    usage: { server, requests: requests.usage },
  };
  return { site, server, contestants };
}

function requestsOf(port: number, crowd: readonly Applicant[]) {
  const validate = crowd.map((applicant) => validateRequest(port, applicant));
  const heartbeat = crowd.map((applicant) => heartbeatRequest(port, applicant));
  const usage = crowd.map((applicant) => usageRequest(port, applicant));
  const anyOf = (items: readonly Request[]) => items[Math.floor(Math.random() * items.length)] as Request;
  const mix = Array.from({ length: mixLength }, () => validate)
    .flat()
    .map((validation) => {
      const drawn = Math.random();
      if (drawn < heartbeatShare) return anyOf(heartbeat);
      return drawn < heartbeatShare + usageShare ? anyOf(usage) : validation;
    });
  return { validate, heartbeat, usage, mix };
}

/** Returns the CPU time of a validation in the mix, if a write there costs what it costs alone. */
export function validationInMix({ mix, heartbeat, usage }: Readonly<Record<Part, Round>>): number {
  return (mix.cpuMicros - heartbeatShare * heartbeat.cpuMicros - usageShare * usage.cpuMicros) / validateShare;
}

/** Measures this checkout, and those in the folders of `BENCH_CANDIDATES` beside it, in alternating rounds. */
async function measure(engine: string, createSiteOf: () => Promise<Site>): Promise<Row[]> {
  const names = ['ours', ...candidates] as const;
  const all: Awaited<ReturnType<typeof serveMixed>>[] = [];
  try {
    for (const name of names) {
      all.push(await serveMixed(await createSiteOf(), name === 'ours' ? undefined : programOf(name)));
    }
    const runs = parts.flatMap((part) =>
      all.map(({ contestants }, index): [string, RunRound] => [
        `${part} ${index}`,
        (durationMs) => runRound(contestants[part], durationMs),
      ]),
    );
    const measured = await alternate(Object.fromEntries(runs));
    const roundsOf = (part: Part, index: number) => measured.flatMap((round) => round[`${part} ${index}`] ?? []);
    return names.flatMap((name, index) =>
      parts.map((part) => {
        const [ours, theirs] = [roundsOf(part, 0), roundsOf(part, index)];
        const ratio = median(theirs.map((round, at) => round.cpuMicros / (ours[at]?.cpuMicros ?? Number.NaN)));
        return {
          name: `${part}, ${engine}, ${crowdName}${index === 0 ? '' : `: ${name}`}`,
          ours: describeRound(medianRound(theirs)),
          floor: index === 0 ? '-' : describeRound(medianRound(ours)),
          ratio: index === 0 ? '-' : `CPU ${ratio.toFixed(3)}×`,
          ...{ target: '-', verdict: 'info' },
        };
      }),
    );
  } finally {
    for (const { server } of all) await server.stop();
    for (const { site } of all) await site.remove();
  }
}
