import { hash } from 'node:crypto';
import type { SqlValue } from '../../db/database.ts';

/**
 * A checksum over rows that does not depend on their order: the number of rows and the sum of their SHA-256 hashes,
 * added as eight 32-bit words, each modulo 2^32. It is the same on both engines, because it is computed from parsed
 * values rather than from an engine's text format.
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

/** A replacer costs three times as much as everything else here, so only rows with bigints use one. */
function textOf(row: readonly SqlValue[]): string {
  return row.some((value) => typeof value === 'bigint') ? JSON.stringify(row, bigintAsDigits) : JSON.stringify(row);
}

function bigintAsDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { bigint: String(value) } : value;
}
