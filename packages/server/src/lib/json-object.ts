/** A JSON object of any content. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for an object that is neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
