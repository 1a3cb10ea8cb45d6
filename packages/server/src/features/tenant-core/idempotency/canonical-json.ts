/** Serialises a value as JSON with sorted object keys, so that values that differ only in key order have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) => (isObject(item) ? sorted(item) : item));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The result has no prototype, so that `__proto__` is an ordinary key. */
function sorted(value: Readonly<Record<string, unknown>>): object {
  const result: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value).sort()) result[name] = value[name];
  return result;
}
