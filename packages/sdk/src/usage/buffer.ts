import { isUnreadable, parseStored, type Store } from '../stores/store.ts';

/** An event that was recorded and not yet answered. */
export interface RecordedUsage {
  /** The license to which the event counts, even if the application has another key by now. */
  readonly licenseKey: string;
  readonly entitlement: string;
  readonly quantity: number;
  /** The same for every attempt, so that the event is counted once. */
  readonly idempotencyKey: string;
  /** When the event was recorded. Null: at the time of its report. */
  readonly occurredAt: string | null;
}

const kind = 'UsageRecorder';

/**
 * The events that wait, in their order, in memory and in a store. The store is written before an event is sent and
 * after it was answered, so a crash loses no event that was stored.
 */
export class UsageBuffer {
  readonly #store: Store | undefined;
  readonly #report: (error: unknown) => void;
  #events: RecordedUsage[] = [];
  #opening: Promise<void> | undefined;
  #unlock: (() => Promise<void>) | undefined;
  #writing: Promise<void> | undefined;
  #nextWrite: Promise<void> | undefined;

  constructor(store: Store | undefined, report: (error: unknown) => void) {
    this.#store = store;
    this.#report = report;
  }

  get size(): number {
    return this.#events.length;
  }

  /**
   * Takes the store, and the events of earlier runs before those of this one. Rejects with `STORE.IN_USE` while another
   * recorder has the store, and tries again when it is called again.
   */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Adds an event at the end. */
  add(event: RecordedUsage): void {
    this.#events.push(event);
  }

  /** Removes an event that was not sent. */
  remove(event: RecordedUsage): void {
    this.#events = this.#events.filter((one) => one !== event);
  }

  /** Returns the first events of one license. */
  head(most: number): RecordedUsage[] {
    const batch = this.#events.slice(0, most);
    const end = batch.findIndex(({ licenseKey }) => licenseKey !== batch[0]?.licenseKey);
    return end === -1 ? batch : batch.slice(0, end);
  }

  /** Replaces the first events, which were answered, by those of them that must be sent again. */
  replaceHead(count: number, events: readonly RecordedUsage[]): void {
    this.#events.splice(0, count, ...events);
  }

  /** Stores the events as they are now. Calls during a write share the next one. Rejects if the store fails. */
  save(): Promise<void> {
    const store = this.#store;
    if (store === undefined) return Promise.resolve();
    this.#nextWrite ??= (this.#writing ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#nextWrite = undefined;
        this.#writing = store.write(JSON.stringify({ kind, events: this.#events }));
        return this.#writing;
      });
    return this.#nextWrite;
  }

  /** Lets another recorder have the store. */
  async release(): Promise<void> {
    this.#opening = undefined;
    const unlock = this.#unlock;
    this.#unlock = undefined;
    await unlock?.();
  }

  async #open(): Promise<void> {
    if (this.#store === undefined) return;
    const unlock = await this.#store.lock?.();
    try {
      const stored = await this.#read(this.#store);
      const known = new Set(this.#events.map(({ idempotencyKey }) => idempotencyKey));
      this.#events.unshift(...stored.filter(({ idempotencyKey }) => !known.has(idempotencyKey)));
    } catch (error) {
      await unlock?.();
      throw error;
    }
    this.#unlock = unlock;
  }

  async #read(store: Store): Promise<RecordedUsage[]> {
    const text = await store.read();
    try {
      const { events } = parseStored(text, kind) ?? {};
      return Array.isArray(events) ? events : [];
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      // Nothing can be read from it, and the events of this run need a place.
      this.#report(error);
      return [];
    }
  }
}
