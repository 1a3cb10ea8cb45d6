/** The API's fields are snake_case, this package's fields are camelCase. These keys hold the caller's own data. */
const verbatim = new Set(['metadata', 'components', 'old', 'new']);

/** Returns the name that this package gives to a field of the API. */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Returns the API's name of a field of this package. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return value;
  // `fromEntries` defines its properties, so a field `__proto__` stays a field.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [rename(name), verbatim.has(name) ? item : renamed(item, rename)]),
  );
}

/** Renames the fields of a response. The content of `metadata` does not change. */
export function fromWire(value: unknown): unknown {
  return renamed(value, toCamelCase);
}

/** Renames the fields of a request, and writes each `Date` as a timestamp. The content of `metadata` does not change. */
export function toWire(value: unknown): unknown {
  return renamed(value, toSnakeCase);
}
