import { createHmac, hash } from 'node:crypto';

const blockLength = 64;
const digestLength = 32;
const messageLengthMax = 512;
const bytesPerCharacterMax = 3;

/**
 * Makes a function that answers the HMAC-SHA256 (RFC 2104) of a text under one key, as hex. Two one-shot hashes
 * over the padded key, prepared once, in buffers that every message uses again: `createHmac` makes a stream and an
 * OpenSSL context for each message, and new buffers for each cost as much again (docs/decisions/0005-hot-path.md).
 * Longer texts than secrets are hashed the slower way. The key is at most 64 bytes long.
 */
export function createHmacSha256(key: Buffer): (message: string) => string {
  if (key.length > blockLength) throw new Error(`The key of an HMAC-SHA256 here is at most ${blockLength} bytes long.`);
  const inner = Buffer.concat([padded(key, 0x36), Buffer.alloc(messageLengthMax * bytesPerCharacterMax)]);
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(digestLength)]);
  const innerViews = new Map<number, Buffer>();
  return (message) => {
    if (message.length > messageLengthMax) return createHmac('sha256', key).update(message).digest('hex');
    // Nothing else runs between these lines, so two buffers serve every message.
    const length = inner.write(message, blockLength, 'utf8');
    let view = innerViews.get(length);
    if (view === undefined) {
      view = inner.subarray(0, blockLength + length);
      innerViews.set(length, view);
    }
    outer.write(hash('sha256', view, 'hex'), blockLength, 'hex');
    return hash('sha256', outer, 'hex');
  };
}

function padded(key: Buffer, byte: number): Buffer {
  const pad = Buffer.alloc(blockLength, byte);
  for (const [index, value] of key.entries()) pad[index] = value ^ byte;
  return pad;
}
