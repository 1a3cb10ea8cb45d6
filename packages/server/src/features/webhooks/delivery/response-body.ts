/** Maximum bytes of a response body that are read and stored. */
const responseBodyMaxBytes = 16 * 1024;

/** The first 16 KiB of a response body. */
export class ResponseBody {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** Adds a piece. Returns false once the limit is exceeded: the response must not be read further. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    return this.#size <= responseBodyMaxBytes;
  }

  /** Returns the body as text; null if it is empty. */
  toText(): string | null {
    return this.#size === 0 ? null : toText(this.#chunks);
  }
}

const decoder = new TextDecoder();
/** A byte that is not valid UTF-8 becomes U+FFFD, which is encoded in three bytes. */
const bytesPerByteMax = 3;

/**
 * Converts bytes to text of at most 16 KiB in UTF-8. Replaces NUL, which PostgreSQL cannot store, and invalid UTF-8.
 */
function toText(chunks: readonly Buffer[]): string {
  const bytes = Buffer.concat(chunks).subarray(0, responseBodyMaxBytes);
  const text = decoder.decode(bytes).replaceAll('\u0000', '\ufffd');
  if (bytes.length * bytesPerByteMax <= responseBodyMaxBytes) return text;
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= responseBodyMaxBytes) return text;
  return new TextDecoder().decode(encoded.subarray(0, responseBodyMaxBytes), { stream: true });
}
