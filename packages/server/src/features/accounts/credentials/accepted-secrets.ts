/** The credentials of the busiest applications; about 250 KB. */
const secretsMax = 1_000;

/**
 * Remembers the hashes of API keys or access tokens that were accepted, because the hash is the largest single cost of a
 * request with one. A hash never changes, so a remembered one needs no check: the row is looked up for every request.
 * Secrets that were not accepted are not kept, so no caller can fill the memory. Raw secrets are in memory during each
 * request anyway; they are never written.
 */
export class AcceptedSecrets {
  readonly #hashes = new Map<string, string>();

  hashOf(secret: string): string | undefined {
    return this.#hashes.get(secret);
  }

  accept(secret: string, hash: string): void {
    if (this.#hashes.size >= secretsMax) this.#hashes.clear();
    this.#hashes.set(secret, hash);
  }
}
