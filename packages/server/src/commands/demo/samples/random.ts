/** Random choices that are the same in every run, so that the demo looks the same everywhere. */
export interface Random {
  /** Returns a number in 0..1, 1 excluded. */
  next(): number;
  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** Returns one of the items. Throws for an empty list. */
  pick<Item>(items: readonly Item[]): Item;
  /** Returns true with a probability of 0..1. */
  chance(probability: number): boolean;
  /** Returns random hexadecimal digits. */
  hex(length: number): string;
}

/** Creates a generator with a seed: mulberry32 (https://github.com/cprosche/mulberry32). Never use it for secrets. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    pick(items) {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new Error('There is nothing to pick from.');
      return item;
    },
    chance: (probability) => next() < probability,
    hex: (length) => Array.from({ length }, () => integer(0, 15).toString(16)).join(''),
  };
}
