/** A text as a whole, a bracket or a comma. */
const tokens = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|[()[\]{},]/gs;

/** Returns the arguments of a call as they are written. `open` is the position of its opening parenthesis. */
export function argumentsAt(text: string, open: number): string[] {
  const call = text.slice(open);
  const found: string[] = [];
  let depth = 0;
  let start = 1;
  for (const { 0: token, index } of call.matchAll(tokens)) {
    if ('([{'.includes(token)) depth += 1;
    if (')]}'.includes(token)) depth -= 1;
    if (depth === 0 || (depth === 1 && token === ',')) {
      found.push(call.slice(start, index).trim());
      start = index + 1;
    }
    if (depth === 0) break;
  }
  return found;
}
