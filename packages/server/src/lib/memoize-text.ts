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
