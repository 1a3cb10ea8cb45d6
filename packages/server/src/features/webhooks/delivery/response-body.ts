import type { IncomingMessage } from 'node:http';

/** How much of an answer is read and kept. */
const responseBodyMaxBytes = 16 * 1024;

/**
 * Reads the beginning of an answer as text; past the limit the connection is dropped, so that gigabytes cost nothing.
 * Null when the answer is empty. Rejects when it breaks off before the limit.
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
/** Of one byte that is no UTF-8 come at most so many. */
const bytesPerByteMax = 3;

/** PostgreSQL stores no NUL; what is no UTF-8 becomes U+FFFD, which takes more bytes than what it stands for. */
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
