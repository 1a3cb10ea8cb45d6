/** Reads one search parameter; returns undefined for a value that a person could not have chosen. */
type Reader<Value> = (value: unknown) => Value | undefined;

/** The search parameters of a screen, read from the URL. */
export type SearchOf<Readers extends Record<string, Reader<unknown>>> = {
  [Name in keyof Readers]?: Exclude<ReturnType<Readers[Name]>, undefined>;
};

/** A text that is not empty. The router parses `?q=12` as a number, so numbers are texts as well. */
export const text: Reader<string> = (value) => {
  const string = typeof value === 'number' ? String(value) : value;
  return typeof string === 'string' && string !== '' ? string : undefined;
};

/** `true`, and nothing else. */
export const flag: Reader<true> = (value) => (value === true || value === 'true' || value === 1 ? true : undefined);

/** One of the given texts. */
export function oneOf<const Value extends string>(values: readonly Value[]): Reader<Value> {
  return (value) => values.find((one) => one === value);
}

/** Returns the `validateSearch` of a route: it keeps the known parameters that have a possible value. */
export function searchOf<Readers extends Record<string, Reader<unknown>>>(readers: Readers) {
  return (search: Record<string, unknown>): SearchOf<Readers> => {
    const entries = Object.entries(readers).map(([name, read]) => [name, read(search[name])] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as SearchOf<Readers>;
  };
}
