import type { ErrorDetail } from '../lib/error.ts';

/** The maximum number of nested objects and arrays in a JSON text. */
export const maxDepth = 32;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Returns true if `text` has more than `limit` opening brackets, including those inside strings: a cheap first check.
 */
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

/** Returns the nesting depth of a JSON text; brackets inside strings do not count. */
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

/** Marks a number that `JSON.parse` has changed. */
const inexact = Symbol('inexact number');

/** Returns the digits and the exponent of a decimal number, the same for every spelling of it. */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  // An expression for the end would take quadratic time on zeros that another digit follows.
  while (digits[end - 1] === '0') end -= 1;
  const significant = digits.slice(0, end);
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === '' ? '0' : `${significant}e${power}`;
}

function markInexact(_name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  return decimalOf(source) === decimalOf(String(value)) ? value : inexact;
}

/** The types of TypeScript do not know the source that `JSON.parse` passes. */
const readNumbers = markInexact as (name: string, value: unknown) => unknown;

/** The number of fields after which the search stops, because a body may have a hundred thousand. */
const maxUnstorable = 20;

/**
 * Adds the fields whose name or text a UTF-8 database cannot store: NUL (PostgreSQL refuses it) and lone surrogates
 * (they would become replacement characters). Adds the numbers that are marked as inexact, too. An invalid name is not
 * repeated; the path of its parent is reported instead.
 */
function addUnstorable(value: unknown, path: string, found: ErrorDetail[]): void {
  if (typeof value === 'string' && isUnstorable(value)) {
    found.push({ field: path, message: 'Remove NUL and lone surrogates.' });
  }
  if (value === inexact) {
    found.push({
      field: path,
      message: 'This number would not be stored exactly. Send fewer digits, or send it as text.',
    });
  }
  if (typeof value === 'object' && value !== null) addUnstorableWithin(value, path, found);
}

function addUnstorableWithin(value: object, path: string, found: ErrorDetail[]): void {
  for (const name in value) {
    if (found.length >= maxUnstorable) return;
    if (isUnstorable(name)) {
      const message = 'Remove NUL and lone surrogates from the names of fields.';
      found.push({ field: path === '' ? 'body' : path, message });
    } else {
      addUnstorable((value as Readonly<Record<string, unknown>>)[name], path === '' ? name : `${path}.${name}`, found);
    }
  }
}

/** In valid UTF-8 and valid JSON, NUL and lone surrogates can only occur as escapes; most bodies have no escapes. */
const suspiciousEscape = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * A number with an exponent or at least 16 digits, outside of strings or after a separator within one; `JSON.parse` keeps
 * every other number exactly. Few bodies have one, so most are not parsed a second time.
 */
const suspiciousNumber = /[:,[\s]-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/** Returns true if a JSON text has more than `maxDepth` levels. */
export function isNestedTooDeeply(text: string): boolean {
  return hasManyBrackets(text, maxDepth) && nestingDepth(text) > maxDepth;
}

/**
 * Lists the first 20 fields of `value`, the parsed `text`, that a database cannot store or that have a number which would
 * not be stored exactly, each with the reason.
 */
export function unstorableFields(value: unknown, text: string): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  if (suspiciousNumber.test(text)) addUnstorable(JSON.parse(text, readNumbers), '', found);
  else if (suspiciousEscape.test(text)) addUnstorable(value, '', found);
  return found;
}

const maybePolluting = /proto|\\u00/;

function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  const { constructor: constructorField } = value as { readonly constructor?: unknown };
  const reachesPrototype =
    Object.hasOwn(value, 'constructor') &&
    typeof constructorField === 'object' &&
    constructorField !== null &&
    Object.hasOwn(constructorField, 'prototype');
  return reachesPrototype || Object.values(value).some(hasPrototypeKey);
}

/**
 * Parses a caller's JSON text from outside a JSON body by the same rules: depth, keys that modify a prototype, storable
 * text. Returns the value and the problems, each with its field ('' is the whole text); the value is valid only if
 * there are none.
 */
export function parseJsonText(text: string): { readonly value: unknown; readonly problems: readonly ErrorDetail[] } {
  const refused = (message: string) => ({ value: undefined, problems: [{ field: '', message }] });
  if (isNestedTooDeeply(text)) return refused(`Send at most ${maxDepth} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('Send valid JSON.');
  }
  if (maybePolluting.test(text) && hasPrototypeKey(value)) return refused('Remove the name that reaches a prototype.');
  return { value, problems: unstorableFields(value, text) };
}
