import { hash } from 'node:crypto';
import type { SqlValue } from '../../db/database.ts';

/**
 * A checksum over rows in whatever order they come: how many they are, and the sum of their SHA-256 hashes, in lanes of
 * 32 bits. Both engines give the same, because it is made of values and not of anybody's spelling of them.
 */
export class RowsDigest {
  #rows = 0;
  readonly #sums = new Uint32Array(8);

  add(rows: readonly (readonly SqlValue[])[]): void {
    for (const row of rows) {
      const digest = hash('sha256', textOf(row), 'buffer');
      for (let index = 0; index < 8; index += 1)
        this.#sums[index] = (this.#sums[index] ?? 0) + digest.readUInt32LE(index * 4);
    }
    this.#rows += rows.length;
  }

  toString(): string {
    return `${this.#rows} rows ${Buffer.from(this.#sums.buffer).toString('hex')}`;
  }
}

/** A replacer costs three times as much as all the rest, and hardly any row needs it. */
function textOf(row: readonly SqlValue[]): string {
  return row.some((value) => typeof value === 'bigint') ? JSON.stringify(row, bigintAsDigits) : JSON.stringify(row);
}

function bigintAsDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { bigint: String(value) } : value;
}
