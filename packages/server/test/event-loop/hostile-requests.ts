import { fillPath, type JsonSchema, type LiveRoute, unknownValues } from '../support/routes.ts';
import type { HostileText } from './hostile-texts.ts';

type Headers = Readonly<Record<string, string>>;

/** A request as it is sent. */
export interface HostileRequest {
  readonly method: string;
  /** The path with its query string. */
  readonly url: string;
  readonly headers: Headers;
  readonly body?: string;
}

/**
 * A request that is built anew each time it is sent, because one that creates something can succeed only once. The fields
 * that refused the text, by their dotted paths, are sent without it.
 */
export interface Attempt {
  readonly title: string;
  readonly build: (refused: ReadonlySet<string>) => HostileRequest;
}

/** What requests to a route use. */
export interface Meant {
  /** The credential that the route is meant for. */
  readonly credential: Headers;
  /** Existing values by the name of the parameter or field. */
  readonly existing: Readonly<Record<string, string | readonly string[]>>;
}

const existingOf = ({ existing }: Meant, name: string) => [existing[name] ?? []].flat()[0];

/** Returns a value for each parameter of a path: an existing one, or one that names nothing. */
function pathValues(meant: Meant, { pathParameters }: LiveRoute): Record<string, string> {
  const values = Object.entries(unknownValues()).map(([name, unknown]) => [name, existingOf(meant, name) ?? unknown]);
  const own = pathParameters.map(({ name }) => [name, existingOf(meant, name) ?? unknownValues()[name] ?? '']);
  return Object.fromEntries([...values, ...own]);
}

/** Cuts a text to a number of UTF-16 code units, without half of a character. */
const cut = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** Code that takes quadratic time needs seconds for such a text. Longer ones only cost time to send. */
const lengthMax = 65_536;

const isChosen = (schema: JsonSchema) => schema['enum'] !== undefined || schema['const'] !== undefined;

/** Returns the text in the length of a field; undefined if the schema of the field refuses it. */
function accepted(schema: JsonSchema, { make }: HostileText): string | undefined {
  const { maxLength, pattern, format } = schema;
  if (format !== undefined || isChosen(schema)) return undefined;
  const length = Math.min(Number(maxLength ?? 255), lengthMax);
  if (typeof pattern !== 'string') return cut(make(length), length);
  const expression = new RegExp(pattern);
  // Some patterns limit the length themselves.
  const lengths = [length, 128, 64, 32].filter((one) => one <= length);
  return lengths.map((one) => cut(make(one), one)).find((text) => expression.test(text));
}

/** Returns the text in the whole length of a field, even if its schema refuses it: then the text is read until there. */
function forced(schema: JsonSchema, { make }: HostileText): string | undefined {
  const length = Number(schema['maxLength'] ?? 255);
  return isChosen(schema) ? undefined : cut(make(length), length);
}

/** Free text that a request has: where it is, and the rules of its schema. */
export interface TextField {
  /** Equal for fields that the same code reads. */
  readonly reader: string;
  readonly schema: JsonSchema;
}

const openObject: JsonSchema = { type: 'string', maxLength: 4000 };

/** Returns what a path does to a thing that it names before, such as `preview`: its fields have a reader of their own. */
const actionOf = (path: string) => /\{[^}]+\}\/([^{}/]+)$/.exec(path)?.[1] ?? '';

function toField(place: string, name: string, schema: JsonSchema): TextField[] {
  if (schema['format'] !== undefined || isChosen(schema)) return [];
  const { maxLength, pattern } = schema;
  return [{ reader: JSON.stringify([place, name, maxLength, pattern]), schema }];
}

function fieldsBelow(schema: JsonSchema, name: string, place: string): TextField[] {
  return ((schema['anyOf'] ?? [schema]) as readonly JsonSchema[]).flatMap((branch) => {
    const types = [branch['type']].flat();
    if (types.includes('array')) return fieldsBelow(branch['items'] as JsonSchema, name, place);
    if (!types.includes('object')) return types.includes('string') ? toField(place, name, branch) : [];
    const properties = Object.entries((branch['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
    const isOpen = properties.length === 0 && branch['additionalProperties'] !== false;
    if (isOpen) return toField(place, name, openObject);
    return properties.flatMap(([inner, property]) => fieldsBelow(property, inner, place));
  });
}

/** Lists the texts in the body of a route. */
export const textsOfBody = ({ path, body }: LiveRoute): TextField[] =>
  body === undefined ? [] : fieldsBelow(body, '', `body ${actionOf(path)}`);

/** Lists the texts in the query of a route, or else the last one in its path. Each search reads other tables. */
export function textsOfParameters({ path, pathParameters, queryParameters }: LiveRoute): TextField[] {
  const placeOf = (name: string) => `query ${name === 'q' ? path : ''}`;
  const ofQuery = queryParameters.flatMap(({ name, schema }) => toField(placeOf(name), name, schema));
  const ofPath = pathParameters.slice(-1).flatMap(({ name, schema }) => toField('path', name, schema));
  return ofQuery.length > 0 ? ofQuery : ofPath;
}

/** Returns true if the schema of a field accepts a text. */
export const accepts = ({ schema }: TextField, text: HostileText): boolean => accepted(schema, text) !== undefined;

/** Returns the most characters that a field may have. */
export const lengthOf = ({ schema }: TextField): number => Number(schema['maxLength'] ?? 255);

/** How the texts of a body are filled. `example` is undefined for a field that the example of the body lacks. */
type Fill = (schema: JsonSchema, path: string, example: unknown) => unknown;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

/** Fills every text of a schema, of the first branch of a union that the example has. */
function filled(schema: JsonSchema, path: string, example: unknown, fill: Fill): unknown {
  const branches = ((schema['anyOf'] ?? [schema]) as readonly JsonSchema[]).filter(({ type }) => type !== 'null');
  const branch = branches.find(({ type }) => [type].flat().includes(typeOf(example))) ?? branches[0] ?? {};
  const types = [branch['type']].flat();
  if (types.includes('object')) return filledObject(branch, path, example, fill);
  if (types.includes('array')) {
    const items = Array.isArray(example) && example.length > 0 ? example : [undefined];
    const item = (value: unknown, index: number) =>
      filled(branch['items'] as JsonSchema, below(path, String(index)), value, fill);
    const values = items.map(item).filter((value) => value !== undefined);
    return values.length > 0 || Array.isArray(example) ? values : undefined;
  }
  return types.includes('string') ? fill(branch, path, example) : example;
}

const below = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function filledObject(schema: JsonSchema, path: string, example: unknown, fill: Fill): unknown {
  const given = isObject(example) ? example : {};
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  // An object that only the text would have needs other fields too.
  if (properties.length > 0 && example === undefined) return undefined;
  if (properties.length === 0 && schema['additionalProperties'] !== false) {
    const text = fill(openObject, path, undefined);
    return typeof text === 'string' ? { ...given, [cut(text, 60)]: text, list: [[text]] } : given;
  }
  const values = properties
    .filter(([name, { deprecated }]) => name in given || deprecated !== true)
    .map(([name, property]) => [name, filled(property, below(path, name), given[name], fill)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(values);
}

let sequence = 0;

/** Returns a valid value: of what exists, or new where a value can be used once. */
function valid(path: string, schema: JsonSchema, example: unknown, meant: Meant): unknown {
  const name = path.split('.').at(-1) ?? '';
  if (example === undefined) return undefined;
  sequence += 1;
  if (path === 'code' || path === 'fingerprint') return `code-${sequence}`;
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return example;
  return existingOf(meant, name) ?? (schema['format'] === 'email' ? `person-${sequence}@example.com` : example);
}

const isBelow = (path: string, fields: ReadonlySet<string>) =>
  [...fields].some((field) => path === field || path.startsWith(`${field}.`));

/** A body that the schema accepts, with the hostile text in every field that may have it. */
function acceptedBody(route: LiveRoute, text: HostileText, meant: Meant, refused: ReadonlySet<string>): string {
  const fill: Fill = (schema, path, example) => {
    const name = path.split('.').at(-1) ?? '';
    const isTaken = name === 'code' || existingOf(meant, name) !== undefined || isBelow(path, refused);
    return (isTaken ? undefined : accepted(schema, text)) ?? valid(path, schema, example, meant);
  };
  return JSON.stringify(filled(route.body ?? {}, '', route.bodyExample, fill));
}

const json = { 'content-type': 'application/json' };

/** A request with a text in the fields of its body, each in the length of the field. */
export function bodyAttempt(route: LiveRoute, meant: Meant, text: HostileText): Attempt {
  return {
    title: `${route.title}: ${text.title}`,
    build: (refused) => ({
      method: route.method,
      url: fillPath(route.path, pathValues(meant, route)),
      headers: { ...meant.credential, ...json },
      body: acceptedBody(route, text, meant, refused),
    }),
  };
}

/** Node accepts 16 KiB of the first line and the headers together. */
const urlLength = 8_000;

/** Returns the text as part of a URL. A lone surrogate cannot be encoded. */
function inUrl(text: string, length: number): string {
  const encoded = encodeURIComponent(text.toWellFormed());
  return encoded.length <= length ? encoded : encoded.slice(0, length).replace(/%.?$/, '');
}

/** A request with a text in every field of its body, also in those whose schema refuses it. */
export function forcedBodyAttempt(route: LiveRoute, meant: Meant, text: HostileText): Attempt {
  const fill: Fill = (schema, path, example) => forced(schema, text) ?? valid(path, schema, example, meant);
  return {
    title: `${route.title}, in every field: ${text.title}`,
    build: () => ({
      method: route.method,
      url: fillPath(route.path, pathValues(meant, route)),
      headers: { ...meant.credential, ...json },
      body: JSON.stringify(filled(route.body ?? {}, '', route.bodyExample, fill)),
    }),
  };
}

/** A request with a text in every parameter of its query that may have it, or else in the last one of its path. */
export const parameterAttempt = (route: LiveRoute, meant: Meant, text: HostileText): Attempt =>
  attemptWith(accepted, route, meant, text);

/** A request with a text in the same places, also if their schema refuses it. */
export const forcedParameterAttempt = (route: LiveRoute, meant: Meant, text: HostileText): Attempt =>
  attemptWith(forced, route, meant, text);

function attemptWith(adapt: typeof accepted, route: LiveRoute, meant: Meant, text: HostileText): Attempt {
  const texts = route.queryParameters.map(({ name, schema }) => [name, adapt(schema, text)] as const);
  const last = route.pathParameters.at(-1);
  return {
    title: `${route.title}, in its parameters${adapt === forced ? ', even if refused' : ''}: ${text.title}`,
    build(refused) {
      const given = texts.flatMap(([name, value]) => (value === undefined || refused.has(name) ? [] : [[name, value]]));
      const query = given.map(([name = '', value = '']) => `${name}=${inUrl(value, urlLength / given.length)}`);
      const values = pathValues(meant, route);
      const inPath = last !== undefined && query.length === 0 ? adapt(last.schema, text) : undefined;
      const path = fillPath(route.path, values);
      const filledPath =
        last === undefined || inPath === undefined
          ? path
          : fillPath(route.path, { ...values, [last.name]: 'TEXT' }).replace('TEXT', () => inUrl(inPath, urlLength));
      const url = `${filledPath}${query.length === 0 ? '' : `?${query.join('&')}`}`;
      return {
        method: route.method,
        url,
        headers: { ...meant.credential, ...json },
        ...(route.body && { body: '{}' }),
      };
    },
  };
}

/** The headers that decide whether a request is answered before its fields are read. Each is sent alone. */
export const decidingHeaders: readonly string[] = [
  ...['authorization', 'content-encoding', 'content-type', 'host', 'idempotency-key', 'x-api-key', 'x-tenant-id'],
];

/** The other headers that the service, its libraries or a shop's signature read. They are sent together. */
export const otherHeaders: readonly string[] = [
  ...['accept', 'accept-encoding', 'accept-language', 'cookie', 'forwarded', 'if-none-match', 'origin'],
  ...['range', 'traceparent', 'tracestate', 'user-agent', 'x-forwarded-for', 'x-forwarded-host', 'x-request-id'],
  ...['paddle-signature', 'sandbox-signature', 'stripe-signature', 'webhook-id', 'webhook-signature'],
  ...['webhook-timestamp', 'x-signature'],
];

/** Node accepts 16 KiB of headers together, so that one header can be a little shorter. */
const headerLength = 12_000;

/** The text as a header. A line end would end it, and other control characters are refused. */
const headerValue = ({ make }: HostileText) => make(headerLength).replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ');

/** Returns the texts that differ as headers. */
export function headerTexts(texts: readonly HostileText[]): HostileText[] {
  return [...new Map(texts.map((text) => [headerValue(text), text])).values()];
}

/** A request with a text in some headers. */
export function headerAttempt(route: LiveRoute, meant: Meant, names: readonly string[], text: HostileText): Attempt {
  const value = headerValue(text);
  return {
    title: `${route.title}, in the headers ${names.join(', ')}: ${text.title}`,
    build() {
      const url = fillPath(route.path, unknownValues());
      const own = Object.fromEntries(names.map((name) => [name, value]));
      const headers = { ...meant.credential, ...json, ...own };
      return { method: route.method, url, headers, ...(route.body === undefined ? {} : { body: '{}' }) };
    },
  };
}

/** A request with a text as its whole body, in the form that a parser of its media type receives. */
export function rawAttempt(path: string, headers: Headers, { title, make }: HostileText, parts: RawBody): Attempt {
  const { start = '', length, end = '' } = parts;
  const url = path;
  return {
    title: `POST ${path}, ${headers['content-type']}, ${length} bytes: ${title}`,
    build: () => ({ method: 'POST', url, headers, body: start + make(length).toWellFormed() + end }),
  };
}

/** A body: a text of a length between a start and an end. */
export interface RawBody {
  readonly start?: string;
  readonly length: number;
  readonly end?: string;
}
