/** The keys of the busiest applications; about 250 KB. */
const keysMax = 1_000;

/**
 * Remembers the hashes of keys that were accepted, because the hash is the largest single cost of a request with a key.
 * A hash never changes, so a remembered one needs no check: the row of the key is looked up for every request. Keys
 * that were not accepted are not kept, so no caller can fill the memory. Raw keys are in memory during each request
 * anyway; they are never written.
 */
export class AcceptedKeys {
  readonly #hashes = new Map<string, string>();

  hashOf(key: string): string | undefined {
    return this.#hashes.get(key);
  }

  accept(key: string, hash: string): void {
    if (this.#hashes.size >= keysMax) this.#hashes.clear();
    this.#hashes.set(key, hash);
  }
}
