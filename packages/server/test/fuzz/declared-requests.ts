import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readLeniently } from '../../src/http/lenient-input.ts';
import { parseTimestamp } from '../../src/http/timestamp.ts';
import { isDay } from '../../src/lib/day.ts';
import { idOrText, isUuid } from '../../src/lib/ids.ts';
import type { JsonSchema, LiveRoute, Parameter } from '../support/routes.ts';
import type { FuzzedRequest } from './wire.ts';

const ajv = new Ajv2020({
  strict: false,
  allErrors: false,
  // The service alone decides what an email address or a URL is.
  formats: {
    uuid: (text: string) => isUuid(idOrText(text)),
    'date-time': (text: string) => parseTimestamp(text) !== undefined || isDay(text),
    email: true,
    uri: true,
    password: true,
  },
});

const compiled = new WeakMap<object, ValidateFunction>();

function problem(schema: object, value: unknown, place: string): string | undefined {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  return validate(value) ? undefined : `${place}: ${ajv.errorsText(validate.errors)}`;
}

const nothing: JsonSchema = { type: 'object', additionalProperties: false };

/**
 * Returns why the OpenAPI document refuses a request; undefined if it accepts it, or cannot judge it: a content type
 * other than JSON. Ajv judges, because the service validates with TypeBox.
 */
export function refusalOf(route: LiveRoute, request: FuzzedRequest): string | undefined {
  const [path = '', query = ''] = request.url.split(/\?(.*)/s);
  return pathProblem(route, path) ?? queryProblem(route, query) ?? bodyProblem(route, request);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function pathProblem(route: LiveRoute, path: string): string | undefined {
  const [template, sent] = [route.path.split('/'), path.split('/')];
  // It is another route, or none.
  if (template.length !== sent.length) return undefined;
  for (const { name, schema } of route.pathParameters) {
    const value = decoded(sent[template.indexOf(`{${name}}`)] ?? '');
    if (value === undefined) return `${name} is not valid UTF-8`;
    const found = problem(schema, value, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function toTyped(schema: JsonSchema, values: readonly string[]): unknown {
  const [text = ''] = values;
  if (schema['type'] === 'array') return values.map((value) => toTyped(schema['items'] as JsonSchema, [value]));
  if (values.length > 1) return values;
  if (schema['type'] === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  const isNumber = schema['type'] === 'integer' || schema['type'] === 'number';
  return isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Outside `/api/` any query string is accepted, because monitors and caches add parameters. */
function queryProblem(route: LiveRoute, query: string): string | undefined {
  if (query === '' || !route.path.startsWith('/api/')) return undefined;
  const pairs = query.split('&').filter((pair) => pair !== '' && pair !== '=');
  const values = new Map<string, string[]>();
  for (const pair of pairs) {
    const [rawName = '', rawValue = ''] = pair.split(/=(.*)/s);
    const [name, value] = [decoded(rawName.replaceAll('+', ' ')), decoded(rawValue.replaceAll('+', ' '))];
    if (name === undefined || value === undefined) return 'a query string that is not valid UTF-8';
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return namedProblem(route.queryParameters, values);
}

function namedProblem(parameters: readonly Parameter[], values: ReadonlyMap<string, string[]>): string | undefined {
  for (const name of values.keys()) {
    if (!parameters.some((parameter) => parameter.name === name)) return `the unknown parameter ${name}`;
  }
  for (const { name, schema, required } of parameters) {
    const sent = values.get(name);
    if (sent === undefined && required) return `the missing parameter ${name}`;
    const found = sent && problem(schema, toTyped(schema, sent), name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function bodyProblem(route: LiveRoute, { method, headers, payload }: FuzzedRequest): string | undefined {
  // A body of DELETE has no meaning (RFC 9110, section 9.3.5).
  if (['GET', 'DELETE'].includes(method) || route.fileTypes.length > 0) return undefined;
  const schema = route.body ?? nothing;
  if (payload === undefined || payload === '') return problem(schema, {}, 'the absent body');
  if (headers['content-type'] !== 'application/json' || headers['content-encoding'] !== undefined) return undefined;
  try {
    const body: unknown = JSON.parse(payload);
    readLeniently(schema, body, method === 'POST');
    return problem(schema, body, 'the body');
  } catch {
    return 'a body that is not JSON';
  }
}
