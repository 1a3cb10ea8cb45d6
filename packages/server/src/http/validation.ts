import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Format } from 'typebox/format';
import { Settings } from 'typebox/system';
import { isEmailAddress } from '../lib/email.ts';
import { AppError, validationError } from '../lib/error.ts';
import { isUuid } from '../lib/ids.ts';
import { excessOf } from './excess.ts';
import { readLeniently } from './lenient-input.ts';
import { parseTimestamp } from './timestamp.ts';
import { toDetails } from './validation-details.ts';

type JsonSchema = Readonly<Record<string, unknown>>;
type Coercion = (value: unknown) => unknown;
type QueryValues = Record<string, unknown>;

/**
 * TypeBox stops at 8 errors by default. The number stays limited, because a body may contain a thousand invalid events.
 */
const maxErrors = 100;

/** TypeBox keeps settings and formats per process. Setting them repeatedly has no effect. */
function configureTypeBox(): void {
  Settings.Set({ maxErrors });
  Format.Set('uuid', isUuid);
  Format.Set('email', isEmailAddress);
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

/** Schemas that refuse unknown fields: several hundred routes share the schemas of parameters and resources. */
const strict = new WeakSet<JsonSchema>();

/** Throws at startup if an object schema of a request would accept unknown fields. */
function assertStrict(schema: JsonSchema, where: string): void {
  if (strict.has(schema)) return;
  if (schema['properties'] !== undefined && schema['additionalProperties'] !== false) {
    throw new Error(`The schema of ${where} accepts unknown fields. Create its objects with strictObject().`);
  }
  for (const subschema of subschemas(schema)) assertStrict(subschema, where);
  strict.add(schema);
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

function toBoolean(value: unknown): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

/**
 * Returns the function that converts the text of a query parameter to the schema's type; undefined if it stays text. It
 * is stricter than TypeBox's `Value.Convert`, which converts `?limit=` to 0, and `?limit=1.5` and `?limit=true` to 1.
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

/** The 404 for a path parameter with an invalid form; it is identical to the 404 for an id that does not exist. */
export class UnknownPathError extends AppError {
  constructor() {
    super('RESOURCE.NOT_FOUND', 'There is no resource with this id. Check the id in the URL.');
  }
}

/**
 * Fastify's validator compiler, based on TypeBox's compiled checks. Query strings and path parameters are
 * converted from text. Failures are `AppError`s with a sentence for every invalid field. An absent
 * body is treated as `{}`, so that it may be omitted if all fields are optional, and missing required fields are named.
 * Ids are accepted in either case, and an optional field of a `POST` that is null counts as absent.
 *
 * A schema is compiled by the first request that it checks: most of several hundred routes never receive one.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, method, url, httpPart }) => {
  const plain = schema as unknown as JsonSchema;
  if (httpPart === 'body' || httpPart === 'querystring') assertStrict(plain, `${httpPart} of ${method} ${url}`);
  const coerce = httpPart === 'body' ? undefined : queryCoercion(plain);
  const errorsOfReading = (given: unknown, check: ReturnType<typeof compileCheck>) => {
    readLeniently(plain, given, httpPart === 'body' && method === 'POST');
    return check.Check(given) ? null : check.Errors(given);
  };
  let compiled: ReturnType<typeof compileCheck> | undefined;
  return (value: unknown) => {
    compiled ??= compileCheck(schema);
    const given = value ?? {};
    if (coerce !== undefined) coerce(given as QueryValues);
    if (compiled.Check(given)) return { value: given };
    const excess = excessOf(plain, given);
    // No reading removes excess, and another check of a long body takes long.
    const errors = excess.length > 0 ? excess : errorsOfReading(given, compiled);
    if (errors === null) return { value: given };
    if (httpPart === 'params') return { error: new UnknownPathError() };
    return { error: validationError(...toDetails(errors, httpPart === 'body' ? 'body' : 'query')) };
  };
};

/** Compiles the check of a request's schema, with our formats. Throws if the schema is invalid. */
export function compileCheck(schema: TSchema) {
  configureTypeBox();
  return Compile(schema);
}
