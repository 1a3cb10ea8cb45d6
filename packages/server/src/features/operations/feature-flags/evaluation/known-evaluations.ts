import { Generations } from '../../../../lib/generations.ts';

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
 * The oldest half is dropped when the memory is used up. An evaluation that read the time must not be kept.
 */
export class KnownEvaluations {
  #revision: string | undefined;
  /** By the text of the context. */
  readonly #kept: Generations<Map<string, BulkResponse>>;

  constructor(bytes = bytesMax) {
    this.#kept = new Generations(bytes, () => new Map());
  }

  /** Returns the response for a context, if it is known for this revision. */
  find(revision: string, context: string): BulkResponse | undefined {
    if (revision !== this.#revision) return undefined;
    const recent = this.#kept.recent.get(context);
    if (recent !== undefined) return recent;
    const older = this.#kept.older.get(context);
    if (older !== undefined) this.keep(revision, context, older);
    return older;
  }

  /** Keeps a response for a revision, and forgets those of other revisions. */
  keep(revision: string, context: string, response: BulkResponse): void {
    if (revision !== this.#revision) {
      this.#revision = revision;
      this.#kept.clear();
    }
    const store = this.#kept.makeRoom(bytesPerEntry + context.length + response.json.length);
    store.set(context, response);
  }
}
