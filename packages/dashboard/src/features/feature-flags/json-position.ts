/** Where the value of a path begins in a JSON text. */
export interface JsonPosition {
  readonly offset: number;
  /** From 1. */
  readonly line: number;
}

interface Reader {
  readonly text: string;
  at: number;
}

function skipSpace(reader: Reader): void {
  while (/\s/.test(reader.text[reader.at] ?? '')) reader.at += 1;
}

function readString(reader: Reader): string {
  const start = reader.at;
  reader.at += 1;
  while (reader.text[reader.at] !== '"') reader.at += reader.text[reader.at] === '\\' ? 2 : 1;
  reader.at += 1;
  return JSON.parse(reader.text.slice(start, reader.at));
}

/** Calls `visit` for each member with its name or index, and reads the value where `visit` does not end the search. */
function readMembers(reader: Reader, visit: (name: string) => boolean): boolean {
  const isObject = reader.text[reader.at] === '{';
  reader.at += 1;
  for (let index = 0; ; index += 1) {
    skipSpace(reader);
    if (reader.text[reader.at] === ',') {
      reader.at += 1;
      skipSpace(reader);
    }
    if (reader.text[reader.at] === '}' || reader.text[reader.at] === ']') break;
    const name = isObject ? readString(reader) : String(index);
    if (isObject) {
      skipSpace(reader);
      reader.at += 1;
      skipSpace(reader);
    }
    if (visit(name)) return true;
    skipValue(reader);
  }
  reader.at += 1;
  return false;
}

function skipValue(reader: Reader): void {
  const first = reader.text[reader.at];
  if (first === '{' || first === '[') readMembers(reader, () => false);
  else if (first === '"') readString(reader);
  else while (/[^\s,\]}]/.test(reader.text[reader.at] ?? ' ')) reader.at += 1;
}

/**
 * Returns where the value of a path such as `variants.off` or `targeting.if.0` begins in a text that is valid JSON, or
 * where the innermost value on the path begins that exists.
 */
export function positionOf(text: string, path: readonly string[]): JsonPosition {
  const reader: Reader = { text, at: 0 };
  skipSpace(reader);
  let offset = reader.at;
  for (const segment of path) {
    const first = text[reader.at];
    if (first !== '{' && first !== '[') break;
    if (!readMembers(reader, (name) => name === segment)) break;
    offset = reader.at;
  }
  return { offset, line: text.slice(0, offset).split('\n').length };
}
