import { hash } from 'node:crypto';

const initialSlots = 1 << 12;

/**
 * The license keys of one file, as 64 bits of their SHA-256: a million of them take 16 to 32 MiB, where texts would
 * take ten times as much. That two different keys of a file of a million meet has a chance of 1 in 37 million; the
 * later row is refused then.
 */
export class SeenKeys {
  #slots = new BigUint64Array(initialSlots);
  #count = 0;

  /** Notes a key. Answers false when it was noted before. */
  add(key: string): boolean {
    const digest = hash('sha256', key, 'buffer');
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

/** The slot of a value, or the empty one where it belongs. */
function find(slots: BigUint64Array, value: bigint): number {
  const mask = slots.length - 1;
  let slot = Number(value & 0xffff_ffffn) & mask;
  while (slots[slot] !== 0n && slots[slot] !== value) slot = (slot + 1) & mask;
  return slot;
}
