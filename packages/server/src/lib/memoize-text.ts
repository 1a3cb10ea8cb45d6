const entriesMax = 1000;

/**
 * Remembers what `parse` makes of a text. For pure functions only: the text itself is read anew every time,
 * so nothing remembered here can be out of date.
 */
export function memoizeText<Result>(parse: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const hit = known.get(text);
    if (hit !== undefined) return hit;
    const result = parse(text);
    if (known.size >= entriesMax) known.clear();
    known.set(text, result);
    return result;
  };
}
