import type { Services } from '../../../services.ts';
import { deliveryJobKind } from '../../tenant-core/events/event.ts';
import type { DispatchTenant } from './dispatch.ts';

/** Counts the deliveries that one run has claimed and not recorded yet. */
export class RunSlots {
  readonly #limit: number;
  #held = 0;
  #unsent = 0;
  #detached = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of claimed deliveries that hold a slot: neither detached nor recorded. */
  get held(): number {
    return this.#held;
  }

  /** Number of detached deliveries that are not recorded yet; they hold no slot. */
  get detached(): number {
    return this.#detached;
  }

  /**
   * Slots that the next claim may use. A delivery with a result no longer counts, unless recording is slower than
   * sending: the run never holds more than twice its limit.
   */
  get free(): number {
    return Math.min(this.#limit - this.#unsent, 2 * this.#limit - this.#held);
  }

  claim(count: number): void {
    this.#held += count;
    this.#unsent += count;
  }

  /** Releases the slot of a delivery whose request continues. */
  detach(): void {
    this.#held -= 1;
    this.#unsent -= 1;
    this.#detached += 1;
  }

  /** Counts the result of a delivery that still holds its slot. */
  addResult(): void {
    this.#unsent -= 1;
  }

  /** Releases deliveries whose results were recorded. */
  release(held: number, detached: number): void {
    this.#held -= held;
    this.#detached -= detached;
  }
}

/**
 * Calls `cancel` `graceMs` milliseconds after `signal` is aborted. Returns a function that ends this; the caller must
 * call it when the run has ended.
 */
export function cancelAfterGrace(signal: AbortSignal | undefined, graceMs: number, cancel: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(cancel, graceMs);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return () => {
    signal?.removeEventListener('abort', onAbort);
    clearTimeout(timer);
  };
}

/** The end of a run, and the detached requests that continue after it. */
export class Shutdown {
  readonly #services: Services;
  readonly #tenant: DispatchTenant;
  readonly #slots: RunSlots;
  readonly #allRecorded = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(services: Services, tenant: DispatchTenant, slots: RunSlots) {
    this.#services = services;
    this.#tenant = tenant;
    this.#slots = slots;
  }

  /** True after the run has ended. Only results of detached requests are recorded from then on. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Ends the run. A stop of the process waits for its detached requests and calls `cancel` if they take too long. */
  end(cancel: () => void): void {
    this.#hasEnded = true;
    if (this.#slots.detached === 0) return;
    this.#services.webhookTraffic.register({ cancel, recorded: this.#allRecorded.promise });
  }

  /**
   * Must be called after each batch is recorded. After the end of the run it schedules the next one, which sends the
   * deliveries that waited for the detached requests and finds when the failed ones are retried.
   */
  afterRecording(): void {
    if (!this.#hasEnded) return;
    const { wakeUps, clock } = this.#services;
    wakeUps.scheduleAfterCommit(this.#tenant.id, deliveryJobKind, clock.now());
    if (this.#slots.detached === 0) this.#allRecorded.resolve();
  }
}
