import { isUtf8 } from 'node:buffer';

const newline = 0x0a;
const none = Buffer.alloc(0);

/** The length of the character that begins with `byte` (RFC 3629, section 3). */
function lengthOf(byte: number): number {
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

/** How many bytes at the end of `bytes` begin a character that is not complete yet: 0 to 3. */
function incompleteTail(bytes: Buffer): number {
  const looked = Math.min(3, bytes.length);
  for (let back = 1; back <= looked; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

const isText = (bytes: Buffer) => isUtf8(bytes) && !bytes.includes(0);

/** What stands before the line in which the text ends. A line feed is no part of any other character. */
function beforeBadLine(bytes: Buffer): Buffer {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(newline, start);
    if (end === -1 || !isText(bytes.subarray(start, end))) return bytes.subarray(0, start);
    start = end + 1;
  }
}

export interface GuardedText {
  /** Whole characters. */
  readonly text: Buffer;
  /** What follows `text` is not UTF-8, or has a NUL, which no text has and UTF-16 is full of. */
  readonly isBroken: boolean;
}

/**
 * Lets through what is text in UTF-8, chunk by chunk, and stops right before the line that is not, so that its row can
 * be told.
 */
export class TextGuard {
  #carried: Buffer = none;

  push(chunk: Buffer): GuardedText {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    const end = bytes.length - incompleteTail(bytes);
    this.#carried = bytes.subarray(end);
    const text = bytes.subarray(0, end);
    return isText(text) ? { text, isBroken: false } : { text: beforeBadLine(text), isBroken: true };
  }

  /** True when the file ends in the middle of a character. */
  get endsInside(): boolean {
    return this.#carried.length > 0;
  }
}
