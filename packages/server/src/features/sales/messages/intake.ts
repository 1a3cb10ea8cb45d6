/** One waiting row of a batch, with its caller. */
interface Waiting<Row> {
  readonly row: Row;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Rows per transaction, so that a flood does not block other requests of the tenant for long. */
const batchMax = 200;

/**
 * Stores rows that arrive at the same time in one transaction per key: a commit waits for the disk, and a shop may send a
 * thousand messages a second. While a batch is being written, the next one gathers.
 */
export class BatchedWrites<Row> {
  readonly #write: (key: string, rows: readonly Row[]) => Promise<void>;
  readonly #waiting = new Map<string, Waiting<Row>[]>();

  constructor(write: (key: string, rows: readonly Row[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the row is committed. Throws what the write of its batch throws. */
  store(key: string, row: Row): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = { row, resolve, reject };
      const gathering = this.#waiting.get(key);
      if (gathering !== undefined) {
        gathering.push(entry);
        return;
      }
      this.#waiting.set(key, [entry]);
      setImmediate(() => void this.#writeAll(key));
    });
  }

  async #writeAll(key: string): Promise<void> {
    for (let batch = this.#take(key); batch.length > 0; batch = this.#take(key)) {
      try {
        await this.#write(
          key,
          batch.map(({ row }) => row),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    // No await since the last look: the next row begins anew.
    this.#waiting.delete(key);
  }

  #take(key: string): Waiting<Row>[] {
    return this.#waiting.get(key)?.splice(0, batchMax) ?? [];
  }
}
