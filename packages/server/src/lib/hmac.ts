import { createHmac, hash } from 'node:crypto';

const blockLength = 64;
const digestLength = 32;
const defaultLengthMax = 512;
const bytesPerCharacterMax = 3;

interface HmacOptions {
  /** Encoding of the result. Default hex. */
  readonly encoding?: 'hex' | 'base64';
  /** Longer texts, in characters, take several times as long. The function keeps three bytes for each. Default 512. */
  readonly fastLengthMax?: number;
}

/**
 * Creates a function that returns the HMAC-SHA256 (RFC 2104) of a text under `key`. Throws when the key is longer than
 * 64 bytes.
 *
 * It computes two one-shot hashes over the padded key, in buffers that all messages reuse. `createHmac` would create a
 * stream and an OpenSSL context per message, and new buffers per message would cost as much again
 * (docs/decisions/0005-hot-path.md). Texts over `fastLengthMax` use `createHmac`.
 */
export function createHmacSha256(
  key: Buffer,
  { encoding = 'hex', fastLengthMax = defaultLengthMax }: HmacOptions = {},
): (message: string) => string {
  if (key.length > blockLength)
    throw new Error(`An HMAC-SHA256 key may be at most ${blockLength} bytes long, and this one has ${key.length}.`);
  const inner = Buffer.concat([padded(key, 0x36), Buffer.alloc(fastLengthMax * bytesPerCharacterMax)]);
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(digestLength)]);
  const innerViews = new Map<number, Buffer>();
  return (message) => {
    if (message.length > fastLengthMax) return createHmac('sha256', key).update(message).digest(encoding);
    // This function is synchronous, so all messages can share the two buffers.
    const length = inner.write(message, blockLength, 'utf8');
    let view = innerViews.get(length);
    if (view === undefined) {
      view = inner.subarray(0, blockLength + length);
      innerViews.set(length, view);
    }
    outer.write(hash('sha256', view, 'hex'), blockLength, 'hex');
    return hash('sha256', outer, encoding);
  };
}

function padded(key: Buffer, byte: number): Buffer {
  const pad = Buffer.alloc(blockLength, byte);
  for (const [index, value] of key.entries()) pad[index] = value ^ byte;
  return pad;
}
