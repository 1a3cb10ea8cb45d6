import fc from 'fast-check';
import { newId } from '../../src/lib/ids.ts';
import type { JsonSchema } from '../support/routes.ts';

/** The existing values that generated requests may use. */
export interface RequestContext {
  /** Existing ids and keys by the name of the parameter or field. Ids without an entry of their own use `id`. */
  readonly existing: Readonly<Record<string, readonly string[]>>;
  /** Names in `existing` of which a request mostly uses an existing value: a new currency or plan code is refused. */
  readonly chosen?: readonly string[];
}

const nul = '\u0000';
const loneSurrogate = '\ud800';

/** Strings that often expose bugs. */
export const oddText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    nul,
    `a${nul}b`,
    loneSurrogate,
    `a\udc00`,
    '\u202e',
    '\ufeff',
    'İ',
    'ß'.repeat(300),
    '💥',
    '%00',
  ),
  fc.constantFrom(
    "' or 1=1 --",
    '"; drop table licenses; --',
    '../../etc/passwd',
    '{{7*7}}',
    '<script>',
    'null',
    '-0',
    '1e999',
  ),
  fc.constantFrom('2026-02-30T00:00:00Z', '0000-00-00T00:00:00Z', '9999-12-31T23:59:60Z', '+275760-09-13T00:00:00Z'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(1_000, 20_000).map((length) => 'x'.repeat(length)),
);

const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 0.1 + 0.2, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, 1e308, -1e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
);

function nested(levels: number, isList: boolean): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = isList ? [value] : { a: value };
  return value;
}

/** `JSON.parse` creates `__proto__` as an own field, as in a caller's body. */
const prototypeField = fc.constantFrom<unknown>(
  JSON.parse('{"__proto__":{"role":"owner"}}'),
  JSON.parse('{"constructor":{"prototype":{"role":"owner"}}}'),
  JSON.parse('{"toString":null,"hasOwnProperty":1,"length":-1}'),
);

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  oddNumber,
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null]),
  prototypeField,
  fc.tuple(fc.constantFrom(2, 5, 31, 33, 500), fc.boolean()).map(([levels, isList]) => nested(levels, isList)),
  fc.jsonValue({ maxDepth: 3 }),
);

const list = (schema: JsonSchema, name: string) => (schema[name] as readonly JsonSchema[] | undefined) ?? [];
const number = (schema: JsonSchema, name: string, fallback: number) => (schema[name] as number | undefined) ?? fallback;

/**
 * Returns valid texts, some of which already exist: an existing one reaches code, such as a conflict check, that a new
 * one does not.
 */
function validText(schema: JsonSchema, name: string, context: RequestContext): fc.Arbitrary<string> {
  const taken = context.existing[name] ?? [];
  const generated = newText(schema, name, context);
  if (taken.length === 0 || schema['format'] === 'uuid') return generated;
  if (context.chosen?.includes(name)) {
    return fc.oneof({ weight: 1, arbitrary: generated }, { weight: 3, arbitrary: fc.constantFrom(...taken) });
  }
  return fc.oneof({ weight: 3, arbitrary: generated }, { weight: 1, arbitrary: fc.constantFrom(...taken) });
}

/** Returns valid numbers, most of which are given where a sum has a limit of its own. */
function validNumber(
  generated: fc.Arbitrary<number>,
  name: string,
  { existing, chosen }: RequestContext,
): fc.Arbitrary<number> {
  const given = chosen?.includes(name) ? (existing[name] ?? []) : [];
  if (given.length === 0) return generated;
  return fc.oneof({ weight: 1, arbitrary: generated }, { weight: 3, arbitrary: fc.constantFrom(...given.map(Number)) });
}

function newText(schema: JsonSchema, name: string, { existing }: RequestContext): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  const minLength = number(schema, 'minLength', 0);
  const maxLength = Math.min(number(schema, 'maxLength', 60), 300);
  if (format === 'uuid') {
    const ids = existing[name] ?? existing['id'] ?? [];
    return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids, newId()) }, fc.uuid({ version: 7 }));
  }
  if (format === 'date-time') {
    const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true });
    return dates.map((date) => date.toISOString());
  }
  if (format === 'email') return fc.uuid().map((id) => `${id}@example.com`);
  if (typeof pattern === 'string') {
    const matching = fc.stringMatching(new RegExp(pattern), { size: 'small' });
    return matching.map((text) => text.padEnd(minLength, 'x'));
  }
  return fc.string({ unit: 'grapheme-ascii', minLength, maxLength }).map((text) => {
    // A rule that the document states in words: a name that mails show contains none of these.
    const allowed = name.endsWith('name') ? text.replaceAll(/[@<>]/g, '-') : text;
    return allowed.trim() || 'x'.repeat(minLength);
  });
}

/**
 * Generates values that satisfy the machine-readable rules of a schema. `name` is the name of the field or parameter.
 */
export function validValue(schema: JsonSchema, name: string, context: RequestContext): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown>(...schema['enum']);
  // The examples of an open object also satisfy the rules that only its description states. Other examples are ignored:
  // they are few values, and generated ones reach more code.
  const isOpen = schema['type'] === 'object' && schema['additionalProperties'] !== false;
  const examples = isOpen ? list(schema, 'examples') : [];
  if (examples.length > 0) return fc.constantFrom<unknown>(...examples);
  const alternatives = list(schema, 'anyOf');
  if (alternatives.length > 0) return fc.oneof(...alternatives.map((one) => validValue(one, name, context)));
  const { minimum = -1000, maximum = Number.MAX_SAFE_INTEGER } = schema as { minimum?: number; maximum?: number };
  switch (schema['type']) {
    case 'string':
      return validText(schema, name, context);
    case 'integer':
    case 'number':
      return validNumber(fc.integer({ min: minimum, max: Math.min(maximum, Number.MAX_SAFE_INTEGER) }), name, context);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const items = validValue(schema['items'] as JsonSchema, name, context);
      return fc.array(items, { minLength: number(schema, 'minItems', 0), maxLength: 3 });
    }
    case 'object':
      return validObject(schema, context);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function validObject(schema: JsonSchema, context: RequestContext): fc.Arbitrary<unknown> {
  // A deprecated field is a second name of another: with both, every request is refused.
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>).filter(
    ([, property]) => property['deprecated'] !== true,
  );
  if (properties.length === 0) {
    if (schema['additionalProperties'] === false) return fc.constant({});
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 4 });
  }
  const required = (schema['required'] ?? []) as string[];
  // Of some fields, one is required.
  const alternatives = list(schema, 'allOf').flatMap((rule) => list(rule, 'anyOf'));
  if (alternatives.length > 0) {
    const requiring = (names: string[]) =>
      validObject({ ...schema, allOf: [], required: [...required, ...names] }, context);
    return fc.oneof(...alternatives.map((one) => requiring((one['required'] ?? []) as string[])));
  }
  const model = Object.fromEntries(properties.map(([name, property]) => [name, validValue(property, name, context)]));
  // Mostly only required fields: with all fields, one that breaks a rule outside the schema has every request refused.
  const few = fc.record(Object.fromEntries(required.map((name) => [name, model[name] ?? fc.constant(null)])));
  const optional = Object.keys(model).filter((name) => !required.includes(name));
  const some = fc.record(model, { requiredKeys: required });
  if (optional.length === 0) return few;
  // Exactly one, because some fields exclude each other.
  const oneMore = fc
    .constantFrom(...optional)
    .chain((name) =>
      fc.tuple(few, model[name] ?? fc.constant(null)).map(([body, value]) => ({ ...body, [name]: value })),
    );
  return fc.oneof(few, some, oneMore);
}

/** The path of a value in a body. */
type Place = readonly [string, ...string[]];

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Lists the paths of all values of a body, including objects and lists. */
function placesOf(value: unknown): Place[] {
  if (!isBranch(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => [
    [name] as Place,
    ...placesOf(item).map((place): Place => [name, ...place]),
  ]);
}

interface Mutation {
  readonly kind: 'spoil' | 'replace' | 'remove' | 'add' | 'wrap';
  /** Selects the value to change: its index among all values, modulo their number. */
  readonly at: number;
  readonly value: unknown;
  readonly number: number;
  readonly snippet: string;
  readonly name: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('spoil', 'spoil', 'spoil', 'spoil', 'replace', 'replace', 'remove', 'add', 'wrap'),
  at: fc.nat({ max: 1000 }),
  value: oddValue,
  number: oddNumber,
  snippet: fc.constantFrom(nul, nul, loneSurrogate, '\u202e', '\u0301', '💥', '\n', ' ', 'x'.repeat(300)),
  name: fc.oneof(fc.constantFrom('id', 'tenant_id', 'role', 'status', 'key_hash', '__proto__', nul), oddText),
});

/** Makes a value slightly invalid. A valid text with one bad character passes more checks than a random text does. */
function spoiled(value: unknown, { snippet, number: odd, value: other }: Mutation): unknown {
  if (typeof value === 'string') return `${value}${snippet}x`;
  return typeof value === 'number' ? odd : other;
}

function mutated(body: unknown, mutation: Mutation): unknown {
  const { kind, at, value, name } = mutation;
  if (kind === 'wrap') return [body];
  const places = placesOf(body);
  const place = places[at % Math.max(places.length, 1)];
  if (place === undefined || !isBranch(body)) return isBranch(body) ? { [name]: value } : value;
  const copy = structuredClone(body);
  const holder = place.slice(0, -1).reduce((branch, step) => branch[step] as Record<string, unknown>, copy);
  const field = place.at(-1) ?? '';
  const set = (to: string, item: unknown) =>
    Object.defineProperty(holder, to, { value: item, enumerable: true, configurable: true, writable: true });
  if (kind === 'remove') delete holder[field];
  else if (kind === 'spoil') set(field, spoiled(holder[field], mutation));
  else set(kind === 'add' && !Array.isArray(holder) ? name : field, value);
  return copy;
}

/** Generates a body as text: valid, slightly invalid, or not JSON. */
export function bodyText(schema: JsonSchema | undefined, context: RequestContext): fc.Arbitrary<string | undefined> {
  const valid = schema === undefined ? fc.constant<unknown>({}) : validValue(schema, 'body', context);
  const almost = fc.tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 2 }));
  const json = fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 5, arbitrary: almost.map(([body, mutations]) => mutations.reduce(mutated, body)) },
    { weight: 1, arbitrary: oddValue },
  );
  const text = json.map((body) => JSON.stringify(body));
  const broken = fc.tuple(text, fc.nat({ max: 200 })).map(([whole, length]) => whole.slice(0, length));
  return fc.oneof(
    { weight: 8, arbitrary: text },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: fc.constantFrom(undefined, '', '{', '[1,]', '{"a":1}{"b":2}', `{"a":"${nul}"}`, 'NaN') },
  );
}
