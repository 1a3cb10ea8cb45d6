import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, fetch } from 'undici';
import type { OpenServices } from '../packages/server/src/app.ts';
import { admitProvenUser } from '../packages/server/src/features/accounts/identity/users-service.ts';
import { hashingPlaces, hashPassword } from '../packages/server/src/lib/password.ts';
import { isQuick, median, medianRound, type Round, runRound, warmUpMs } from './measure.ts';
import { cpuSeconds, eventLoopSeconds, type ServerProcess, startFloor, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  createSite,
  raiseCeilings,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, perSecond, type Row, times } from './table.ts';

const password = 'a password for one benchmark';
const users = 200;
const inFlight = 50;
const rounds = isQuick ? 1 : 5;
const roundMs = isQuick ? 500 : 4000;
const loginTarget = 0.9;
const validateTarget = 0.8;

const email = (index: number) => `user-${index % users}@example.com`;

/** Compares logins with bare Argon2id, and `validate` with and without concurrent logins. */
export async function benchmarkLogin(): Promise<Row[]> {
  const site = await createSite();
  try {
    const applicant = await withSite(site, async (services) => {
      await createAdmin(services);
      await createUsers(services);
      return await createApplicant(services, 'Acme');
    });
    const service = await startService(site, { TRUST_PROXY: 'loopback', LOG_LEVEL: 'info' });
    await raiseCeilings(service.port, [applicant.tenantId]);
    const floor = await startFloor('floor-argon2', { password, roundMs });
    const rows = [await compareLogins(service, floor)];
    await floor.stop();
    rows.push(await validateBesideLogins(service, applicant));
    await service.stop();
    return rows;
  } finally {
    await site.remove();
  }
}

/** Creates the users of `logIn`. */
export async function createUsers({ clock, platform }: OpenServices): Promise<void> {
  const passwordHash = await hashPassword(password);
  for (let index = 0; index < users; index += 1) {
    const person = { email: email(index), name: 'Bench', passwordHash, at: clock.now() };
    await platform.transaction((tx) => admitProvenUser(tx, person));
  }
}

let nextLogin = 0;

/**
 * Sends one login, with a distinct client address behind a proxy: throttle and lockout count by address. A refused one
 * is repeated when the service says so. Without `connections`, all logins share those of the process.
 */
export async function logIn(port: number, connections?: Dispatcher): Promise<void> {
  nextLogin += 1;
  const address = `10.${(nextLogin >> 16) & 255}.${(nextLogin >> 8) & 255}.${nextLogin & 255}`;
  const attempt = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email: email(nextLogin), password }),
    ...(connections && { dispatcher: connections }),
  };
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, attempt);
    const text = await response.text();
    if (response.status === 200) return;
    // 503: too many others wait. 429: this address has tried too often since.
    if (response.status !== 503 && response.status !== 429) {
      throw new Error(`A login was refused: ${response.status} ${text}`);
    }
    await delay(Number(response.headers.get('retry-after')) * 1000);
  }
}

/** Keeps `inFlight` logins active until `isOver`; returns the number of successes. */
async function logInUntil(port: number, isOver: () => boolean): Promise<number> {
  let logins = 0;
  const one = async () => {
    while (!isOver()) {
      await logIn(port);
      logins += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return logins;
}

/** Measures the cost of `work` for a server; `work` returns the number of repetitions. */
async function measured({ pid }: ServerProcess, work: () => Promise<number>): Promise<Round> {
  const [cpuBefore, startedAt] = [cpuSeconds(pid), performance.now()];
  const count = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuSeconds(pid) - cpuBefore;
  return { perSecond: count / seconds, cpuMicros: (cpu / count) * 1e6, cpuShare: cpu / seconds };
}

async function compareLogins(service: ServerProcess, floor: ServerProcess): Promise<Row> {
  const login = () =>
    measured(service, () => {
      const endsAt = performance.now() + roundMs;
      return logInUntil(service.port, () => performance.now() >= endsAt);
    });
  const bare = () =>
    measured(floor, async () => {
      const response = await fetch(`http://127.0.0.1:${floor.port}/`);
      return ((await response.json()) as { checks: number }).checks;
    });
  const pairs: { ours: Round; floor: Round }[] = [];
  await login();
  for (let round = 0; round < rounds; round += 1) pairs.push({ ours: await login(), floor: await bare() });
  const name = `login, ${inFlight} in flight, ${hashingPlaces} hashed at once`;
  return comparisonRow(
    name,
    {
      ours: medianRound(pairs.map((pair) => pair.ours)),
      floor: medianRound(pairs.map((pair) => pair.floor)),
      throughputRatio: median(pairs.map((pair) => pair.ours.perSecond / pair.floor.perSecond)),
      cpuRatio: median(pairs.map((pair) => pair.floor.cpuMicros / pair.ours.cpuMicros)),
    },
    loginTarget,
  );
}

interface ValidateRound {
  readonly perSecond: number;
  readonly perCoreSecond: number;
}

/** Runs a round of `validate`; returns its responses per second, by the clock and per CPU time of the event loop. */
async function validateRound(service: ServerProcess, applicant: Applicant): Promise<ValidateRound> {
  const requests = [validateRequest(service.port, applicant)];
  const [loopBefore, startedAt] = [eventLoopSeconds(service.pid), performance.now()];
  const round = await runRound({ server: service, requests }, roundMs);
  const seconds = (performance.now() - startedAt) / 1000;
  const loop = eventLoopSeconds(service.pid) - loopBefore;
  return { perSecond: round.perSecond, perCoreSecond: (round.perSecond * seconds) / loop };
}

async function validateBesideLogins(service: ServerProcess, applicant: Applicant): Promise<Row> {
  await runRound({ server: service, requests: [validateRequest(service.port, applicant)] }, warmUpMs);
  const pairs: { alone: ValidateRound; beside: ValidateRound }[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const alone = await validateRound(service, applicant);
    let isOver = false;
    const logins = logInUntil(service.port, () => isOver);
    const beside = await validateRound(service, applicant).finally(() => {
      isOver = true;
    });
    await logins;
    pairs.push({ alone, beside });
  }
  const ratioOf = (key: keyof ValidateRound) => median(pairs.map(({ alone, beside }) => beside[key] / alone[key]));
  const [byClock, byCpu] = [ratioOf('perSecond'), ratioOf('perCoreSecond')];
  const shown = (side: 'alone' | 'beside') => {
    const figure = (key: keyof ValidateRound) => perSecond(median(pairs.map((pair) => pair[side][key])));
    return `${figure('perSecond')} (${figure('perCoreSecond')} of the event loop's CPU)`;
  };
  return {
    name: `validate while ${inFlight} logins are in flight`,
    ours: shown('beside'),
    floor: `${shown('alone')} alone`,
    ratio: `${times(byClock)} (CPU ${times(byCpu)})`,
    target: `≥ ${times(validateTarget)}`,
    verdict: Math.min(byClock, byCpu) >= validateTarget ? 'ok' : 'short',
  };
}
