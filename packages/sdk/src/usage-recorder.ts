import type { UsageEvent, UsageReport } from './api-types.ts';
import type { LicensingClient } from './client.ts';
import type { LicensingCode } from './codes.ts';
import { assertDuration, configurationError, given, LicensingError, wrapped } from './error.ts';
import { Listeners } from './listeners.ts';
import { randomKey } from './request.ts';
import type { Store } from './stores/store.ts';
import { runtimeTimers, type Timers } from './timers.ts';
import { type RecordedUsage, UsageBuffer } from './usage/buffer.ts';
import { settleAnswer, settleError } from './usage/settle.ts';

/** The options of a `UsageRecorder`. */
export interface UsageRecorderOptions {
  readonly client: Pick<LicensingClient, 'reportUsage'>;
  readonly licenseKey: string;
  /** Keeps events over a crash. One recorder per store; `fileStore` and `webStore` refuse a second one. */
  readonly store?: Store | undefined;
  /** How long an event waits for others, in milliseconds. Default: 10 seconds. */
  readonly flushIntervalMs?: number | undefined;
  /** The most events of one request, up to 1000, which is also the default. */
  readonly maxBatch?: number | undefined;
  /** The most events that wait; further ones are refused with `USAGE.BUFFER_FULL`. Default: 10,000 (about 2 MB). */
  readonly maxBuffered?: number | undefined;
  /** This machine's clock in milliseconds since 1970, for tests. */
  readonly now?: (() => number) | undefined;
  readonly timers?: Timers | undefined;
}

/** An event that was not counted, and why. */
export interface RefusedUsage {
  readonly entitlement: string;
  readonly quantity: number;
  readonly idempotencyKey: string;
  /** `ENTITLEMENT.LIMIT_REACHED`, for example, or `USAGE.BUFFER_FULL`. */
  readonly reason: LicensingCode;
}

/** What a flush did. */
export interface FlushResult {
  readonly accepted: number;
  /** Events that an earlier attempt had counted. */
  readonly duplicate: number;
  readonly refused: readonly RefusedUsage[];
  /** Events that wait for the next flush. */
  readonly pending: number;
  /** Why the flush ended early; null if every event was answered. */
  readonly error: LicensingError | null;
  /** The counters of the last answer. */
  readonly counters: UsageReport['counters'];
}

/** The events of a recorder. */
export interface UsageRecorderEvents {
  /** An event was not counted and is gone. */
  refused: RefusedUsage;
  /** The service or the store failed. The events stay, up to `maxBuffered`. */
  error: LicensingError;
}

/** The most events that the service takes at once. */
const batchLimit = 1000;
const longestRetryMs = 300_000;

/**
 * Records the usage of metered entitlements and reports it in batches, in the order of recording. Each event has an
 * idempotency key and is stored before it is sent, so a crash neither loses it nor counts it twice. Only the constructor
 * throws: `CONFIGURATION.INVALID`.
 */
export class UsageRecorder {
  readonly #options: UsageRecorderOptions;
  readonly #listeners = new Listeners<UsageRecorderEvents>();
  readonly #buffer: UsageBuffer;
  readonly #maxBatch: number;
  #flushing: Promise<FlushResult> | undefined;
  #timer: unknown;
  #failures = 0;
  #closing: Promise<FlushResult> | undefined;

  constructor(options: UsageRecorderOptions) {
    assertOptions(options);
    this.#options = options;
    this.#maxBatch = options.maxBatch ?? batchLimit;
    this.#buffer = new UsageBuffer(options.store, (error) => this.#listeners.emit('error', toError(error)));
    // The store may hold events of an earlier run.
    if (options.store !== undefined) this.#setTimer();
  }

  /** Adds a listener, and returns the function that removes it. A listener that throws stops nothing. */
  on<Name extends keyof UsageRecorderEvents>(
    event: Name,
    listener: (value: UsageRecorderEvents[Name]) => void,
  ): () => void {
    return this.#listeners.on(event, listener);
  }

  /**
   * Records one use. Resolves when the store has the event (if the store fails, which `error` reports, the event is in
   * memory only). Rejects with a `LicensingError` if the event is not recorded and will not be sent; `refused` reports
   * that too. The result may be ignored.
   */
  record(entitlement: string, quantity = 1): Promise<void> {
    const recorded = this.#record(entitlement, quantity);
    // Who ignores the result has the events.
    recorded.catch(() => undefined);
    return recorded;
  }

  /** Sends everything that waits, also of earlier runs. Concurrent calls share one flush. Never rejects. */
  flush(): Promise<FlushResult> {
    if (this.#closing !== undefined) return this.#closing;
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
      this.#schedule();
    });
    return this.#flushing;
  }

  /** Flushes and frees the store. What could not be sent is in the store for the next run. Never rejects. */
  close(): Promise<FlushResult> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<FlushResult> {
    await this.#flushing;
    const result = await this.#flush();
    await this.#buffer.release().catch((error) => this.#listeners.emit('error', toError(error)));
    return result;
  }

  async #record(entitlement: string, quantity: number): Promise<void> {
    const { licenseKey, maxBuffered = 10_000, now = Date.now } = this.#options;
    if (typeof entitlement !== 'string' || entitlement === '' || !Number.isSafeInteger(quantity) || quantity < 1) {
      throw configurationError('Pass record() the code of an entitlement and a whole quantity from 1.');
    }
    const occurredAt = new Date(now()).toISOString();
    const event: RecordedUsage = { licenseKey, entitlement, quantity, idempotencyKey: randomKey(), occurredAt };
    if (this.#closing !== undefined)
      throw this.#refuse(event, 'USAGE.RECORDER_CLOSED', 'the recorder was closed. Create a new one.');
    if (this.#buffer.size >= maxBuffered)
      throw this.#refuse(event, 'USAGE.BUFFER_FULL', 'too many uses wait. Connect, or raise `maxBuffered`.');
    this.#buffer.add(event);
    if (this.#buffer.size >= this.#maxBatch && this.#failures === 0) void this.flush();
    else this.#schedule();
    try {
      await this.#buffer.open();
    } catch (error) {
      this.#buffer.remove(event);
      const { code, message } = toError(error);
      throw this.#refuse(event, code, message, error);
    }
    await this.#save();
  }

  #refuse(event: RecordedUsage, code: LicensingCode, why: string, cause?: unknown): LicensingError {
    this.#reportRefusal(event, code);
    const message = `The use of ${event.entitlement} was not recorded: ${why}`;
    return new LicensingError({ code, message, cause });
  }

  async #flush(): Promise<FlushResult> {
    this.#clearTimer();
    const sum = { accepted: 0, duplicate: 0, refused: [] as RefusedUsage[], counters: [] as UsageReport['counters'] };
    let error: LicensingError | null = null;
    let most = this.#maxBatch;
    try {
      await this.#buffer.open();
      await this.#save();
      while (this.#buffer.size > 0) {
        const batch = this.#buffer.head(most);
        const { settlement, counters } = await this.#send(batch);
        // The request does not say which event is wrong, so smaller ones find it.
        most = settlement === null ? Math.ceil(batch.length / 2) : this.#maxBatch;
        if (settlement === null) continue;
        this.#buffer.replaceHead(batch.length, settlement.again);
        await this.#save();
        this.#failures = 0;
        sum.accepted += settlement.accepted;
        sum.duplicate += settlement.duplicate;
        sum.refused.push(...settlement.refused.map(({ event, reason }) => this.#reportRefusal(event, reason)));
        sum.counters = counters ?? sum.counters;
      }
    } catch (cause) {
      error = toError(cause);
      this.#failures += 1;
      this.#listeners.emit('error', error);
    }
    return { ...sum, pending: this.#buffer.size, error };
  }

  /** Writes the store. If the write fails, the event is sent anyway. */
  async #save(): Promise<void> {
    await this.#buffer.save().catch((error) => this.#listeners.emit('error', toError(error)));
  }

  /** Sends a batch. Throws if the answer says nothing about its events. The settlement is null if it is too large. */
  async #send(batch: readonly RecordedUsage[]) {
    const { licenseKey } = batch[0] ?? this.#options;
    const { client, now = Date.now } = this.#options;
    try {
      const report = await client.reportUsage(licenseKey, batch.map(toReported));
      return { settlement: settleAnswer(batch, report, now()), counters: report.counters };
    } catch (error) {
      return { settlement: settleError(batch, error) };
    }
  }

  #reportRefusal({ entitlement, quantity, idempotencyKey }: RecordedUsage, reason: string): RefusedUsage {
    const refused = { entitlement, quantity, idempotencyKey, reason };
    this.#listeners.emit('refused', refused);
    return refused;
  }

  /** Sets the timer of the next flush: after a failure later and later, because the service may be overloaded. */
  #schedule(): void {
    if (this.#buffer.size > 0) this.#setTimer();
  }

  #setTimer(): void {
    if (this.#closing ?? this.#timer ?? this.#flushing) return;
    const { flushIntervalMs = 10_000, timers = runtimeTimers } = this.#options;
    const delayMs = Math.min(flushIntervalMs * 2 ** this.#failures, Math.max(longestRetryMs, flushIntervalMs));
    this.#timer = timers.setTimeout(() => void this.flush(), delayMs * (0.9 + 0.1 * Math.random()));
  }

  #clearTimer(): void {
    const { timers = runtimeTimers } = this.#options;
    if (this.#timer !== undefined) timers.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function toReported({ entitlement, quantity, idempotencyKey, occurredAt }: RecordedUsage): UsageEvent {
  return { entitlement, quantity, idempotencyKey, ...(occurredAt !== null && { occurredAt }) };
}

function toError(cause: unknown): LicensingError {
  return wrapped('RECORDER.FAILED', cause, 'Check the store and the client.');
}

function assertOptions(options: UsageRecorderOptions): void {
  const use = 'new UsageRecorder({ client, licenseKey, store })';
  const { client, licenseKey, store, maxBatch = 1, maxBuffered = 1, flushIntervalMs = 1 } = given(options, use);
  if (typeof client?.reportUsage !== 'function') throw configurationError('`client` must be a LicensingClient.');
  if (typeof licenseKey !== 'string' || licenseKey === '') throw configurationError('`licenseKey` must be a string.');
  if (store !== undefined && typeof store?.write !== 'function') throw configurationError('`store` must be a store.');
  if (!Number.isInteger(maxBatch) || maxBatch < 1 || maxBatch > batchLimit) {
    throw configurationError(`\`maxBatch\` must be a whole number from 1 to ${batchLimit}.`);
  }
  if (!Number.isInteger(maxBuffered) || maxBuffered < 1) throw configurationError('`maxBuffered` must be from 1.');
  assertDuration('`flushIntervalMs`', flushIntervalMs);
}
