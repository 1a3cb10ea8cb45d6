import type { IncomingMessage } from 'node:http';

/** Maximum bytes of a response body that are read and stored. */
const responseBodyMaxBytes = 16 * 1024;

/**
 * Reads the first 16 KiB of a response body as text. A longer response is not read further: its connection is closed.
 * Returns null if the body is empty. Rejects if the response breaks off before the limit.
 */
export function readResponseBody(response: IncomingMessage): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= responseBodyMaxBytes) return;
      resolve(toText(chunks));
      response.destroy();
    });
    response.on('end', () => resolve(toText(chunks)));
    response.on('error', reject);
  });
}

const decoder = new TextDecoder();
/** A byte that is not valid UTF-8 becomes U+FFFD, which is encoded in three bytes. */
const bytesPerByteMax = 3;

/**
 * Converts bytes to text of at most 16 KiB in UTF-8. Replaces NUL, which PostgreSQL cannot store, and invalid UTF-8.
 */
function toText(chunks: readonly Buffer[]): string | null {
  const [first] = chunks;
  if (first === undefined) return null;
  const bytes = (chunks.length === 1 ? first : Buffer.concat(chunks)).subarray(0, responseBodyMaxBytes);
  const text = decoder.decode(bytes).replaceAll('\u0000', '\ufffd');
  if (bytes.length * bytesPerByteMax <= responseBodyMaxBytes) return text;
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= responseBodyMaxBytes) return text;
  return new TextDecoder().decode(encoded.subarray(0, responseBodyMaxBytes), { stream: true });
}
