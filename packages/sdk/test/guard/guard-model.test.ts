import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LicenseGuard, memoryStore } from '../../src/index.ts';
import { audience, FakeService, issuer, jwks, licenseKey } from '../support/fake-service.ts';
import { ManualTimers } from '../support/manual-timers.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A machine with the guard of one application, and what the service really told it. */
class Machine {
  readonly timers = new ManualTimers();
  readonly service = new FakeService(() => this.timers.realMs);
  readonly #store = memoryStore();
  guard = this.#newGuard();
  /** The last answer with a genuine proof; null before the first. */
  heard: 'yes' | 'no' | null = null;
  heardInThisRunAtMs: number | null = null;
  /** The end of the last certificate that arrived after the last `no`. */
  certificateEndMs: number | null = null;
  hasSetClock = false;

  constructor() {
    this.#listen();
  }

  async restart(): Promise<void> {
    this.timers.kill();
    this.guard = this.#newGuard();
    this.heardInThisRunAtMs = null;
    await this.guard.start();
  }

  #newGuard(): LicenseGuard {
    const { timers, service: client } = this;
    const clocks = { now: timers.wallMs, monotonicNow: timers.monotonicMs, timers };
    const terms = { licenseKey, jwks, issuer, audience, fingerprint: 'machine-1', product: 'editor' };
    return new LicenseGuard({ client, store: this.#store, ...terms, ...clocks });
  }

  /** Notes what leaves the service, because only that can have been heard. */
  #listen(): void {
    const { service } = this;
    const { validate, issueCertificate } = service;
    service.validate = async (...question) => {
      const verdict = await validate.apply(service, question);
      if (service.isForged) return verdict;
      this.heard = verdict.valid ? 'yes' : 'no';
      this.heardInThisRunAtMs = this.timers.realMs;
      return verdict;
    };
    service.issueCertificate = async (...terms) => {
      const certificate = await issueCertificate.apply(service, terms);
      this.certificateEndMs = service.certificateEndMs;
      return certificate;
    };
  }
}

/** One thing that happens to a machine. */
type Step = readonly [name: string, act: (machine: Machine) => unknown];

const step = (name: string, act: Step[1]): fc.Arbitrary<Step> => fc.constant([name, act]);
const steps: fc.Arbitrary<Step>[] = [
  step('network fails', ({ service }) => {
    service.callsLeft = 0;
  }),
  fc.integer({ min: 1, max: 4 }).map((calls) => [
    `network fails after ${calls} calls`,
    ({ service }) => {
      service.callsLeft = calls;
    },
  ]),
  step('network works', ({ service }) => {
    service.callsLeft = null;
  }),
  step('somebody forges answers', ({ service }) => {
    service.isForged = true;
  }),
  step('nobody forges answers', ({ service }) => {
    service.isForged = false;
  }),
  fc.constantFrom('LICENSE.REVOKED', 'LICENSE.SUSPENDED', 'LICENSE.VALID', 'LICENSE.IN_GRACE').map((code) => [
    `the license is ${code}`,
    ({ service }) => {
      service.code = code;
    },
  ]),
  step('the vendor frees the seat', ({ service }) => service.freeSeats()),
  step('somebody else takes the seat', async ({ service }) => {
    const { callsLeft } = service;
    service.callsLeft = null;
    service.freeSeats();
    await service.activate(licenseKey, { fingerprint: 'machine-2' }).catch(() => undefined);
    service.callsLeft = callsLeft;
  }),
  fc
    .constantFrom(minuteMs, 20 * minuteMs, hourMs, 5 * hourMs, 23 * hourMs, 30 * hourMs)
    .map((ms) => [`${ms / minuteMs} minutes pass`, ({ timers }) => timers.advance(ms)]),
  step('the application asks', ({ guard }) => guard.refresh()),
  step('the application asks twice at once', ({ guard }) => Promise.all([guard.refresh(), guard.refresh()])),
  step('the application restarts', (machine) => machine.restart()),
  step('the application stops and starts', async ({ guard }) => {
    await guard.stop();
    await guard.start();
  }),
];

const clockSteps = fc.integer({ min: -72, max: 72 }).map(
  (hours): Step => [
    `the clock is set ${hours} hours off`,
    (machine) => {
      machine.timers.skewMs = hours * hourMs;
      machine.hasSetClock = true;
    },
  ],
);

function holdsCertificate({ certificateEndMs, timers }: Machine): boolean {
  return certificateEndMs !== null && timers.realMs < certificateEndMs;
}

/** What must be true of the guard in every moment in which it does nothing. */
function expectSound(machine: Machine, done: string): void {
  // Within one check, a new seat can turn a no into a yes. The certificate is kept then.
  if (machine.heard === 'no') machine.certificateEndMs = null;
  const { guard, heard, heardInThisRunAtMs, timers, hasSetClock } = machine;
  const { status, reason } = guard.state;
  const why = `${status} (${reason}) after: ${done}`;
  if (status !== 'unlicensed') expect(heard, `allowed, although the service said no: ${why}`).toBe('yes');
  if (status === 'licensed' || status === 'grace') expect(heardInThisRunAtMs, why).not.toBeNull();
  if (hasSetClock) return;
  const hasNews = heard === 'yes' && heardInThisRunAtMs !== null && timers.realMs < heardInThisRunAtMs + 2 * hourMs;
  if (status === 'offline') expect(holdsCertificate(machine) || hasNews, `without a right: ${why}`).toBe(true);
  if (status === 'unlicensed' && heard !== 'no') {
    expect(holdsCertificate(machine), `turned away with a valid certificate: ${why}`).toBe(false);
  }
}

async function play(sequence: readonly Step[]): Promise<void> {
  const machine = new Machine();
  const done: string[] = [];
  await machine.guard.start();
  for (const [name, act] of sequence) {
    await act(machine);
    done.push(name);
    expectSound(machine, done.join(', '));
  }
}

describe('the states of a guard', () => {
  test('no order of outages, forgeries, refusals, lost seats, time and restarts allows after a no or turns away with a certificate', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.oneof(...steps), { minLength: 3, maxLength: 25 }), play), {
      numRuns: 150,
    });
  });

  test('no setting of the clock allows after a no', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.oneof(clockSteps, ...steps), { minLength: 3, maxLength: 20 }), play), {
      numRuns: 80,
    });
  });
});
