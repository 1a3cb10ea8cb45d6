/** How many texts are remembered for certain; up to twice as many for a time. */
const textsMax = 50_000;
/** A power of two. At most 40 % of the slots of a table are in use. */
const slots = 2 ** 17;
const freeSlot = 0;

/**
 * Remembers which texts were asked for lately. It keeps hashes instead of texts, because a `Set` or `Map` adds each text
 * to V8's table of unique strings, which costs several times as much. 49 bits of a text are compared, so a wrong answer
 * is possible: use it only where that costs nothing but time. Takes 1 MB.
 */
export class AskedTexts {
  #recent = new Uint32Array(slots);
  #older = new Uint32Array(slots);
  #recentCount = 0;

  /** Remembers a text. Returns true if it was asked for before and is not forgotten yet. */
  add(text: string): boolean {
    let place = 0x811c_9dc5;
    let rest = 0x9e37_79b9;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      place = Math.imul(place ^ code, 0x0100_0193);
      rest = Math.imul((rest ^ code) + (rest >>> 15), 0x85eb_ca6b);
    }
    const first = (place ^ (place >>> 15)) & (slots - 1);
    const entry = rest >>> 0 || 1;
    const slot = slotOf(this.#recent, first, entry);
    if (this.#recent[slot] === entry) return true;
    const isOlder = this.#older[slotOf(this.#older, first, entry)] === entry;
    this.#recent[slot] = entry;
    this.#recentCount += 1;
    if (this.#recentCount >= textsMax) this.#forgetOlder();
    return isOlder;
  }

  #forgetOlder(): void {
    const oldest = this.#older;
    this.#older = this.#recent;
    this.#recent = oldest.fill(freeSlot);
    this.#recentCount = 0;
  }
}

/** Returns the slot of an entry, or the free slot for it. */
function slotOf(table: Uint32Array, first: number, entry: number): number {
  let slot = first;
  while (table[slot] !== freeSlot && table[slot] !== entry) slot = (slot + 1) & (slots - 1);
  return slot;
}
