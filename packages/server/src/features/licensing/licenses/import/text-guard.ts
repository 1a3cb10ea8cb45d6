import { isUtf8 } from 'node:buffer';

const newline = 0x0a;
const none = Buffer.alloc(0);

/** Returns the length in bytes of the character whose first byte is `byte` (RFC 3629, section 3). */
function lengthOf(byte: number): number {
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

/** Returns the number of bytes at the end of `bytes` that belong to an incomplete character: 0 to 3. */
function incompleteTail(bytes: Buffer): number {
  const maxBack = Math.min(3, bytes.length);
  for (let back = 1; back <= maxBack; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

const isText = (bytes: Buffer) => isUtf8(bytes) && !bytes.includes(0);

/** Returns the bytes before the first invalid line. In UTF-8 no other character contains the byte of a line feed. */
function beforeBadLine(bytes: Buffer): Buffer {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(newline, start);
    if (end === -1 || !isText(bytes.subarray(start, end))) return bytes.subarray(0, start);
    start = end + 1;
  }
}

/** The valid text of a chunk. */
export interface GuardedText {
  /** Complete characters. */
  readonly text: Buffer;
  /** True when the bytes after `text` are not UTF-8 or contain a NUL. Text has no NUL, and UTF-16 has many. */
  readonly isBroken: boolean;
}

/**
 * Validates UTF-8 chunk by chunk. Stops immediately before the first invalid line, so that the number of its row can be
 * reported.
 */
export class TextGuard {
  #carried: Buffer = none;

  /** Returns the valid text of the pending bytes and this chunk. */
  push(chunk: Buffer): GuardedText {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    const end = bytes.length - incompleteTail(bytes);
    this.#carried = bytes.subarray(end);
    const text = bytes.subarray(0, end);
    return isText(text) ? { text, isBroken: false } : { text: beforeBadLine(text), isBroken: true };
  }

  /** True when the last chunk ended within a character. */
  get endsInside(): boolean {
    return this.#carried.length > 0;
  }
}
