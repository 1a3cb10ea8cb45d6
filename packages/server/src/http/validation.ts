import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Format } from 'typebox/format';
import { Settings } from 'typebox/system';
import { AppError, validationError } from '../lib/error.ts';
import { isUuid } from '../lib/ids.ts';
import { parseTimestamp } from './timestamp.ts';
import { toDetails } from './validation-details.ts';

type JsonSchema = Readonly<Record<string, unknown>>;
type Coercion = (value: unknown) => unknown;
type QueryValues = Record<string, unknown>;

/** TypeBox stops at 8 errors by itself. A bound stays, because a body may hold a thousand bad events. */
const maxErrors = 100;

/** Settings and formats of TypeBox belong to the process; these are the only ones, and setting them twice is harmless. */
function configureTypeBox(): void {
  Settings.Set({ maxErrors });
  Format.Set('uuid', isUuid);
  Format.Set('date-time', (text) => parseTimestamp(text) !== undefined);
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function subschemas(schema: JsonSchema): JsonSchema[] {
  const lists = [schema['anyOf'], schema['allOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const properties = isSchema(schema['properties']) ? Object.values(schema['properties']) : [];
  return [...lists, ...properties, schema['items']].filter(isSchema);
}

/** Fails the start when an object of a request would let unknown fields pass. */
function assertStrict(schema: JsonSchema, where: string): void {
  if (schema['properties'] !== undefined && schema['additionalProperties'] !== false) {
    throw new Error(`The schema of ${where} has an object that lets unknown fields pass: make it with strictObject().`);
  }
  for (const subschema of subschemas(schema)) assertStrict(subschema, where);
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

function toBoolean(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

/**
 * How the text of a query parameter becomes the schema's type; undefined when it stays text. Narrower than
 * TypeBox's `Value.Convert`, which takes `?limit=` for 0, `?limit=1.5` for 1 and `?limit=true` for 1.
 */
function coercionTo(schema: JsonSchema): Coercion | undefined {
  if (schema['type'] === 'integer' || schema['type'] === 'number') return toNumber;
  if (schema['type'] === 'boolean') return toBoolean;
  if (schema['type'] !== 'array') return undefined;
  const toItem = isSchema(schema['items']) ? coercionTo(schema['items']) : undefined;
  return (value) => {
    const items = Array.isArray(value) ? value : [value];
    return toItem === undefined ? items : items.map(toItem);
  };
}

function queryCoercion(schema: JsonSchema): ((values: QueryValues) => void) | undefined {
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
  const coercions = properties.flatMap(([name, property]) => {
    const coercion = isSchema(property) ? coercionTo(property) : undefined;
    return coercion === undefined ? [] : [{ name, coercion }];
  });
  if (coercions.length === 0) return undefined;
  return (values) => {
    for (const { name, coercion } of coercions) {
      if (values[name] !== undefined) values[name] = coercion(values[name]);
    }
  };
}

/** A path that no thing can have looks exactly like the path of a thing that does not exist. */
export class UnknownPathError extends AppError {
  constructor() {
    super('RESOURCE.NOT_FOUND', 'Nothing has this id here. Check the id in the URL.');
  }
}

/**
 * Fastify's validator compiler on TypeBox's compiled checks: bodies are taken as they are, query strings and path
 * parameters are coerced from text, and what fails is an `AppError` with a sentence for every bad field. No body
 * counts as `{}`, so that a body whose fields are all optional may be left out and required ones are named.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, method, url, httpPart }) => {
  configureTypeBox();
  const plain = schema as unknown as JsonSchema;
  if (httpPart === 'body' || httpPart === 'querystring') assertStrict(plain, `${httpPart} of ${method} ${url}`);
  const validator = Compile(schema);
  const coerce = httpPart === 'body' ? undefined : queryCoercion(plain);
  return (value: unknown) => {
    const given = value ?? {};
    if (coerce !== undefined) coerce(given as QueryValues);
    if (validator.Check(given)) return { value: given };
    if (httpPart === 'params') return { error: new UnknownPathError() };
    return { error: validationError(...toDetails(validator.Errors(given), httpPart === 'body' ? 'body' : 'query')) };
  };
};
