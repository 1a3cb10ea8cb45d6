/** The response to a bulk evaluation. */
export interface BulkResponse {
  /** The JSON of the OFREP response. */
  readonly json: string;
  /** The entity tag of the response. */
  readonly tag: string;
}

/** About 3,000 contexts with 50 flags. */
const bytesMax = 16 * 1024 * 1024;
/** The objects of an entry, and the heads of its strings. */
const bytesPerEntry = 200;

/**
 * Keeps the responses to bulk evaluations for one revision of the flags, because clients poll with the same context.
 * A response is kept when its context is asked for the second time. The oldest half is dropped when the memory is used
 * up. An evaluation that read the time must not be kept.
 */
export class KnownEvaluations {
  readonly #halfBytes: number;
  #revision: string | undefined;
  /** By the text of the context; null: asked for once. */
  #recent = new Map<string, BulkResponse | null>();
  #older = new Map<string, BulkResponse | null>();
  #recentBytes = 0;

  constructor(bytes = bytesMax) {
    this.#halfBytes = bytes / 2;
  }

  /** Returns the response for a context, if it is known for this revision. */
  find(revision: string, context: string): BulkResponse | undefined {
    if (revision !== this.#revision) return undefined;
    const recent = this.#recent.get(context);
    if (recent !== undefined) return recent ?? undefined;
    const older = this.#older.get(context) ?? undefined;
    if (older !== undefined) this.#add(context, older);
    return older;
  }

  /** Notes that a context was asked for, and keeps the response if that is not the first time. */
  keep(revision: string, context: string, response: BulkResponse): void {
    if (revision !== this.#revision) this.#forget(revision);
    const isKnown = this.#recent.has(context) || this.#older.has(context);
    this.#add(context, isKnown ? response : null);
  }

  #add(context: string, response: BulkResponse | null): void {
    const bytes = bytesPerEntry + context.length + (response === null ? 0 : response.json.length);
    if (this.#recentBytes + bytes > this.#halfBytes) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentBytes = 0;
    }
    this.#recentBytes += bytes;
    this.#recent.set(context, response);
  }

  #forget(revision: string): void {
    this.#revision = revision;
    this.#recent = new Map();
    this.#older = new Map();
    this.#recentBytes = 0;
  }
}
