import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { gather, type Party } from '../crash/evidence.ts';
import { findFaults } from '../crash/findings.ts';
import { seededRandom } from '../crash/random.ts';
import { Worker } from '../crash/worker.ts';
import { engine } from '../support/harness.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

/** How often each fault occurs: once in `npm test`, often in `npm run test:soak`. */
export const rounds = Number(process.env['FAULT_ROUNDS'] ?? 1);
/** The seed of the random load, which `FAULT_SEED` sets to repeat a run. */
export const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 32);

const reportFile = process.env['FAULT_REPORT'];

const workersPerParty = 2;
const recoversWithinMs = 90_000;
const pollMs = 10;
const faultsShown = 20;
/** Longer than every lease, so that a nudge expires all leases. */
const nudgeMs = 31_000;

/** A clock that follows the system's clock and that a test can move forwards and backwards. */
export interface JumpingClock extends Clock {
  jump(ms: number): void;
}

/** Creates a clock that starts at the current time. */
export function createJumpingClock(): JumpingClock {
  let shiftMs = 0;
  const clock = systemClock(() => Date.now() + shiftMs);
  return {
    ...clock,
    jump(ms) {
      shiftMs += ms;
    },
  };
}

/** Applications of several tenants that send requests continuously, whatever happens to the service. */
export class Load {
  readonly #crew: readonly { readonly party: Party; readonly workers: readonly Worker[]; responses: number }[];
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>;

  constructor(parties: readonly Party[], address: () => string) {
    const random = seededRandom(seed);
    const worker = (party: Party) => new Worker(party, seededRandom(random() * 2 ** 32));
    this.#crew = parties.map((party) => ({
      party,
      workers: Array.from({ length: workersPerParty }, () => worker(party)),
      responses: 0,
    }));
    const runs = this.#crew.flatMap((one) => {
      const onAnswer = () => {
        one.responses += 1;
      };
      return one.workers.map((each) => each.runThrough(address, { signal: this.#stop.signal, onAnswer }));
    });
    this.#ended = Promise.all(runs);
  }

  /**
   * Waits until each of these tenants (default: all) received `count` more responses other than 503. Fails the test
   * after 90 s.
   */
  async served(count: number, parties?: readonly Party[]): Promise<void> {
    const waiting = this.#crew
      .filter(({ party }) => parties?.includes(party) ?? true)
      .map((one) => ({ one, wanted: one.responses + count }));
    const deadlineMs = performance.now() + recoversWithinMs;
    while (waiting.some(({ one, wanted }) => one.responses < wanted)) {
      if (performance.now() > deadlineMs) {
        throw new Error(
          `The service stopped responding to a tenant. ${this.surprises.slice(0, faultsShown).join('; ')}`,
        );
      }
      await delay(pollMs);
    }
  }

  /** Returns the number of responses other than 503 that a tenant received. */
  responsesOf(party: Party): number {
    return this.#crew.find((one) => one.party === party)?.responses ?? 0;
  }

  get #workers(): Worker[] {
    return this.#crew.flatMap(({ workers }) => workers);
  }

  /** The unexpected responses so far. */
  get surprises(): string[] {
    return this.#workers.flatMap((worker) => worker.surprises);
  }

  /** The number of requests that found the service unavailable. */
  get unavailable(): number {
    return this.#workers.reduce((sum, { figures }) => sum + figures.unavailable, 0);
  }

  /** The duration of the slowest request, whatever its outcome. */
  get slowestMs(): number {
    return Math.max(...this.#workers.map(({ figures }) => figures.slowestMs));
  }

  /** Stops the load. Fails unless every acknowledged change exists exactly once and its event was delivered. */
  async expectNothingLost(
    address: string,
    receiver: WebhookReceiver,
    clock: Pick<JumpingClock, 'jump'>,
  ): Promise<void> {
    this.#stop.abort();
    await this.#ended;
    expect(this.surprises.slice(0, faultsShown)).toEqual([]);
    const nudge = () => clock.jump(nudgeMs);
    const figures = { acknowledged: 0, events: 0 };
    for (const { party, workers } of this.#crew) {
      const evidence = await gather({ address }, party, { receiver, workers, nudge });
      expect(findFaults(evidence).slice(0, faultsShown)).toEqual([]);
      const acknowledged = evidence.attempts.filter(({ outcome }) => outcome === 'changed').length;
      expect(acknowledged).toBeGreaterThan(0);
      figures.acknowledged += acknowledged;
      figures.events += new Set(evidence.received.map(({ headers }) => headers['webhook-id'])).size;
    }
    this.#report(figures);
  }

  #report(figures: object): void {
    if (reportFile === undefined) return;
    const fault = expect
      .getState()
      .currentTestName?.replace(/ \(FAULT_SEED=\d+\)/, '')
      .replace(' > ', ': ');
    const { unavailable } = this;
    const slowest = `${(this.slowestMs / 1000).toFixed(1)} s`;
    appendFileSync(reportFile, `${JSON.stringify({ engine, fault, rounds, ...figures, unavailable, slowest })}\n`);
  }
}
