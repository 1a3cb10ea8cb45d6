/** JSON with the names of every object in order: equal for values that differ only in how they were written down. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) => (isObject(item) ? sorted(item) : item));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without a prototype, so that a field named `__proto__` is a field like any other. */
function sorted(value: Readonly<Record<string, unknown>>): object {
  const result: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value).sort()) result[name] = value[name];
  return result;
}
