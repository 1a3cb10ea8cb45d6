const entriesMax = 1000;

/**
 * Caches the results of `parse` by its text, at most 1000. `parse` must be pure: callers read the text from the
 * database every time, so a cached result is never stale.
 */
export function memoizeText<Result>(parse: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  // Consecutive texts are often equal, and comparing two is faster than a lookup of a text that was just read.
  let lastText: string | undefined;
  let lastResult: Result | undefined;
  return (text) => {
    if (text === lastText && lastResult !== undefined) return lastResult;
    let result = known.get(text);
    if (result === undefined) {
      result = parse(text);
      if (known.size >= entriesMax) known.clear();
      known.set(text, result);
    }
    lastText = text;
    lastResult = result;
    return result;
  };
}
