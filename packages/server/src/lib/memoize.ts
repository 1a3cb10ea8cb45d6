/**
 * Returns a function that calls `make` at its first call and then always returns that result. Use it for expensive
 * values that few processes need: Node's data of languages, countries and currencies take 8 MiB.
 */
export function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const entriesMax = 1000;

/**
 * Caches the results of `parse` by its text, at most 1000. `parse` must be pure: callers read the text from the
 * database every time, so a cached result is never stale.
 */
export function memoizeText<Result>(parse: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    let result = known.get(text);
    if (result === undefined) {
      result = parse(text);
      if (known.size >= entriesMax) known.clear();
      known.set(text, result);
    }
    return result;
  };
}
