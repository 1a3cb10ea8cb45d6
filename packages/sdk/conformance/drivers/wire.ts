/** These fields contain the caller's own names, or names that are not fields of the API. */
const verbatim = new Set(['metadata', 'headers']);

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [rename(name), verbatim.has(name) ? item : renamed(item, rename)]),
  );
}

/** Returns a value of the cases with the names of the TypeScript package. */
export function fromWire(value: unknown): unknown {
  return renamed(value, (name) => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()));
}

/** Returns a result of the TypeScript package with the names of the cases. */
export function toWire(value: unknown): unknown {
  return renamed(value, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}
