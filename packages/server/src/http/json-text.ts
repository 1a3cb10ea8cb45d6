import type { ErrorDetail } from '../lib/error.ts';

/** How many levels of objects and lists a JSON text may have. */
export const maxDepth = 32;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const quote = 0x22;
const backslash = 0x5c;

/** True when `text` has more than `limit` opening brackets, those inside strings included: the cheap first look. */
function hasManyBrackets(text: string, limit: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > limit) return true;
    }
  }
  return false;
}

/** The deepest nesting of a JSON text, brackets inside strings not counted. */
function nestingDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let insideString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) insideString = !insideString;
    else if (insideString) at += character === backslash ? 1 : 0;
    else if (character === openBrace || character === openBracket) deepest = Math.max(deepest, ++depth);
    else if (character === closeBrace || character === closeBracket) depth -= 1;
  }
  return deepest;
}

const isUnstorable = (text: string) => text.includes('\u0000') || !text.isWellFormed();

/**
 * Fields whose name or text no UTF-8 database can hold: NUL (PostgreSQL refuses it) and lone surrogates (they would
 * turn into replacement characters). The name of a bad field is not repeated: only its parent's path is.
 */
function unstorableIn(value: unknown, path: string): ErrorDetail[] {
  if (typeof value === 'string') {
    return isUnstorable(value) ? [{ field: path, message: 'must not contain NUL or half a surrogate pair' }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    if (!isUnstorable(name)) return unstorableIn(item, path === '' ? name : `${path}.${name}`);
    return [{ field: path === '' ? 'body' : path, message: 'must not have a name with NUL or half a surrogate pair' }];
  });
}

/** In valid UTF-8 and valid JSON, NUL and lone surrogates can only come as escapes; most bodies have none. */
const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/;

/** True for a JSON text with more levels than `maxDepth`. */
export function isNestedTooDeeply(text: string): boolean {
  return hasManyBrackets(text, maxDepth) && nestingDepth(text) > maxDepth;
}

/** The fields of `value`, the parsed `text`, that no database can hold, each with what is wrong. */
export function unstorableFields(value: unknown, text: string): ErrorDetail[] {
  return suspiciousEscape.test(text) ? unstorableIn(value, '') : [];
}

const maybePoisonous = /proto|\\u00/;

function hasPoisonousKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  const { constructor: maker } = value as { readonly constructor?: unknown };
  const reachesPrototype =
    Object.hasOwn(value, 'constructor') &&
    typeof maker === 'object' &&
    maker !== null &&
    Object.hasOwn(maker, 'prototype');
  return reachesPrototype || Object.values(value).some(hasPoisonousKey);
}

/**
 * Reads a JSON text of a caller that came outside a JSON body, by the same rules: depth, keys that reach a prototype,
 * text that a database can hold. Answers the value, or what is wrong with which field ('' is the whole).
 */
export function parseJsonText(text: string): { readonly value: unknown; readonly problems: readonly ErrorDetail[] } {
  const refused = (message: string) => ({ value: undefined, problems: [{ field: '', message }] });
  if (isNestedTooDeeply(text)) return refused(`must have at most ${maxDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('must be valid JSON');
  }
  if (maybePoisonous.test(text) && hasPoisonousKey(value))
    return refused('must not have a key that reaches a prototype');
  return { value, problems: unstorableFields(value, text) };
}
