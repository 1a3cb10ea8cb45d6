import { hash } from 'node:crypto';

const initialSlots = 1 << 12;

/**
 * The values of a unique column in one file. It stores 64 bits of the SHA-256 of each: a million values take 16 to 32
 * MiB, a tenth of the strings. The probability that two different values of a file with a million rows collide is 1 in
 * 37 million; the later row is then refused.
 */
export class SeenValues {
  #slots = new BigUint64Array(initialSlots);
  #count = 0;

  /** Adds a value. Returns false when the value was already added. */
  add(text: string): boolean {
    const digest = hash('sha256', text, 'buffer');
    // Zero marks an empty slot.
    const value = digest.readBigUInt64LE(0) || 1n;
    const slot = find(this.#slots, value);
    if (this.#slots[slot] === value) return false;
    this.#slots[slot] = value;
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return true;
  }

  #grow(): void {
    const larger = new BigUint64Array(this.#slots.length * 2);
    for (const value of this.#slots) if (value !== 0n) larger[find(larger, value)] = value;
    this.#slots = larger;
  }
}

/** Returns the index of a value, or of the empty slot for it (open addressing with linear probing). */
function find(slots: BigUint64Array, value: bigint): number {
  const mask = slots.length - 1;
  let slot = Number(value & 0xffff_ffffn) & mask;
  while (slots[slot] !== 0n && slots[slot] !== value) slot = (slot + 1) & mask;
  return slot;
}
