import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import { serialisable } from './serializer.ts';

/** A JSON schema or another object in a document. */
export type JsonSchema = JsonObject;

const listKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const mapKeywords = ['properties', 'patternProperties'] as const;
const schemaKeywords = ['items', 'additionalProperties', 'contentSchema', 'not'] as const;

/** Returns a schema whose direct subschemas are replaced. Examples, defaults and constants are data, not schemas. */
function mapSubschemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const changed: Record<string, unknown> = { ...schema };
  const apply = (value: unknown) => (isObject(value) ? change(value) : value);
  for (const keyword of listKeywords) {
    const list = schema[keyword];
    if (Array.isArray(list)) changed[keyword] = list.map(apply);
  }
  for (const keyword of mapKeywords) {
    const map = schema[keyword];
    if (isObject(map)) changed[keyword] = mapValues(map, apply);
  }
  for (const keyword of schemaKeywords) {
    if (isObject(schema[keyword])) changed[keyword] = apply(schema[keyword]);
  }
  return changed;
}

/** Returns an object with the same names and changed values. */
function mapValues<Value>(map: JsonSchema, change: (value: unknown, name: string) => Value) {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]));
}

/** Keywords that say something about the place of a schema. They may differ between the places of a named schema. */
const annotations = ['description', 'default', 'examples', 'deprecated'] as const;

type Annotations = Readonly<Record<string, unknown>>;

/** Returns the annotations that a component can have. A default belongs to its place: a creation has it, a change not. */
function sharable(annotated: Annotations): Annotations {
  return Object.fromEntries(Object.entries(annotated).filter(([keyword]) => keyword !== 'default'));
}

interface Occurrence {
  readonly name: string;
  /** Without title, annotations and null. */
  readonly shape: JsonSchema;
  readonly annotations: Annotations;
  readonly nullable: boolean;
}

/** Splits a schema with a title; undefined for every other schema. Throws for a title that is not a name of a type. */
function occurrenceOf(schema: JsonSchema): Occurrence | undefined {
  const { title: name, ...rest } = schema;
  if (typeof name !== 'string') return undefined;
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
    throw new Error(`The title "${name}" of a schema must be the name of a type, such as License.`);
  }
  const { type, enum: values } = rest;
  const nullable = Array.isArray(type) && type.includes('null');
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [];
  const shape: Record<string, unknown> = { ...rest };
  if (nullable) shape['type'] = types.length === 1 ? types[0] : types;
  if (nullable && Array.isArray(values)) shape['enum'] = values.filter((value) => value !== null);
  const found: Record<string, unknown> = {};
  for (const keyword of annotations) {
    if (!(keyword in shape)) continue;
    found[keyword] = shape[keyword];
    delete shape[keyword];
  }
  return { name, shape, annotations: found, nullable };
}

/** The named schemas of a document: every schema with a title becomes a component, by its title. */
interface NamedSchemas {
  /**
   * Counts a schema and everything in it. Call it for every schema before `toReference`. The description of a parameter
   * says how it filters, so `inParameter` decides only about schemas without another place.
   */
  count(schema: JsonSchema, inParameter?: boolean): void;
  /** Returns a schema in which schemas with titles are references. Throws if two different schemas have one title. */
  toReference(schema: JsonSchema): JsonSchema;
  /** Returns the components, by name. */
  components(): Readonly<Record<string, JsonSchema>>;
}

/** Creates an empty set of named schemas. */
export function createNamedSchemas(): NamedSchemas {
  const counts = new Map<string, Map<string, number>>();
  const components = new Map<string, JsonSchema>();

  /** The annotations that most places of the schema have: those of the component. */
  function usualAnnotations(name: string): Annotations {
    const found = [...(counts.get(name) ?? [])];
    const [text] = found.reduce((most, one) => (one[1] > most[1] ? one : most), ['{}', 0]);
    return JSON.parse(text);
  }

  function count(schema: JsonSchema, inParameter = false): void {
    const occurrence = occurrenceOf(schema);
    if (occurrence !== undefined) {
      const ofName = counts.get(occurrence.name) ?? new Map<string, number>();
      const text = JSON.stringify(sharable(occurrence.annotations));
      ofName.set(text, (ofName.get(text) ?? 0) + (inParameter ? Number.EPSILON : 1));
      counts.set(occurrence.name, ofName);
    }
    mapSubschemas(schema, (subschema) => {
      count(subschema, inParameter);
      return subschema;
    });
  }

  function toReference(schema: JsonSchema): JsonSchema {
    const mapped = mapSubschemas(schema, toReference);
    const occurrence = occurrenceOf(mapped);
    if (occurrence === undefined) return mapped;
    const { name, shape, nullable } = occurrence;
    const usual = usualAnnotations(name);
    const component = { ...shape, ...usual };
    const known = components.get(name);
    if (known === undefined) components.set(name, component);
    else if (!isDeepStrictEqual(known, component)) throw new Error(difference(name, known, component));
    const reference = { $ref: `#/components/schemas/${name}` };
    const own = Object.entries(occurrence.annotations).filter(
      ([keyword, value]) => !isDeepStrictEqual(value, usual[keyword]),
    );
    return { ...(nullable ? { anyOf: [reference, { type: 'null' }] } : reference), ...Object.fromEntries(own) };
  }

  return {
    count,
    toReference,
    components: () => Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

function difference(name: string, one: JsonSchema, other: JsonSchema): string {
  const place = firstDifference(one, other, '');
  return (
    `Two different schemas have the title ${name}; they differ at ${place}. Give one another title, or declare the ` +
    'schema once and use it in both places.'
  );
}

function firstDifference(one: unknown, other: unknown, path: string): string {
  if (!isObject(one) || !isObject(other)) return path || '/';
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const name = [...names].find((candidate) => !isDeepStrictEqual(one[candidate], other[candidate])) ?? '';
  return firstDifference(one[name], other[name], `${path}/${name}`);
}

/** The meaning of each value of a named enumeration, by the name of its component. */
export type EnumMeanings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the published document has beyond the routes. */
export interface DocumentParts {
  readonly enumMeanings: EnumMeanings;
  /** The schema of the body of a delivery to a webhook endpoint. */
  readonly event: object;
}

/**
 * Returns the document that the service publishes: schemas with a title are components. `inline` is the document of
 * @fastify/swagger, in which every schema is inline.
 */
export function publishedDocument(inline: object, { enumMeanings, event }: DocumentParts): JsonSchema {
  const document = JSON.parse(JSON.stringify({ ...inline, webhooks: webhooksOf(event) })) as JsonSchema;
  const schemas = createNamedSchemas();
  visitSchemas(document, (schema, inParameter) => {
    schemas.count(schema, inParameter);
    return schema;
  });
  const { components = {}, paths, ...rest } = visitSchemas(document, (schema) => schemas.toReference(schema));
  return {
    ...rest,
    // Before the paths: the document is 2 % smaller when it is compressed.
    components: {
      ...(components as JsonSchema),
      schemas: withMeanings(schemas, enumMeanings),
    },
    paths,
  };
}

function webhooksOf(event: object) {
  const post = {
    operationId: 'receiveWebhookEvent',
    summary: 'An event of the tenant',
    description: 'Sent to every endpoint that subscribes to the type, and signed as Standard Webhooks specifies.',
    tags: ['Webhooks'],
    security: [],
    requestBody: { required: true, content: { 'application/json': { schema: event } } },
    responses: { 204: { description: 'Any 2xx status acknowledges the event.' } },
  };
  return { event: { post } };
}

function withMeanings(schemas: NamedSchemas, meanings: EnumMeanings) {
  return mapValues(schemas.components(), (schema, name) => {
    const ofName = meanings[name];
    return ofName === undefined ? schema : { ...(schema as JsonSchema), 'x-enumDescriptions': ofName };
  });
}

type Change = (schema: JsonSchema, inParameter?: boolean) => JsonSchema;

/** Replaces the schema of everything in a document that has one. */
function visitSchemas(document: JsonSchema, change: Change): JsonSchema {
  return mapValues(document, (value, name) => {
    if (name === 'paths' || name === 'webhooks') return visitPaths(value, change);
    if (name !== 'components' || !isObject(value)) return value;
    const { schemas, responses = {}, ...others } = value;
    // Named schemas come from their titles alone, so that there is one way to name a schema.
    if (isObject(schemas)) for (const schema of Object.values(schemas)) change(simplified(schema));
    return { ...others, responses: mapValues(responses as JsonSchema, (response) => visitContent(response, change)) };
  });
}

function simplified(schema: unknown): JsonSchema {
  return typedEnums(serialisable(schema) as JsonSchema) as JsonSchema;
}

/** Adds the type to enumerations of strings, which generators would otherwise present as unknown values. */
function typedEnums(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typedEnums);
  if (!isObject(value)) return value;
  const typed = mapValues(value, typedEnums);
  const values = typed['enum'];
  const isUntyped = Array.isArray(values) && typed['type'] === undefined;
  return isUntyped && values.every((one) => typeof one === 'string') ? { type: 'string', ...typed } : typed;
}

function visitPaths(paths: unknown, change: Change): JsonSchema {
  return mapValues(paths as JsonSchema, (item) =>
    mapValues(item as JsonSchema, (operation) => visitOperation(operation as JsonSchema, change)),
  );
}

function visitOperation(operation: JsonSchema, change: Change): JsonSchema {
  const { parameters, requestBody, responses } = operation;
  return {
    ...operation,
    ...(Array.isArray(parameters) && {
      parameters: parameters.map((parameter: JsonSchema) => visitParameter(parameter, change)),
    }),
    ...(isObject(requestBody) && {
      requestBody: takesFields(requestBody) ? visitContent(requestBody, change) : undefined,
    }),
    ...(isObject(responses) && { responses: mapValues(responses, (response) => visitContent(response, change)) }),
  };
}

/** @fastify/swagger moves the description of a schema to its parameter. A named schema has it too. */
function visitParameter(parameter: JsonSchema, change: Change): JsonSchema {
  const { schema, description } = parameter;
  if (!isObject(schema)) return parameter;
  const { description: _own, ...changed } = change(
    { ...simplified(schema), ...(description ? { description } : {}) },
    true,
  );
  return { ...parameter, schema: changed };
}

/** Returns false for the body of an action without fields, which callers leave out. */
function takesFields({ content }: JsonSchema): boolean {
  const { 'application/json': media } = (content ?? {}) as Readonly<Record<string, JsonSchema>>;
  const schema = media?.['schema'];
  if (!isObject(schema) || schema['additionalProperties'] !== false) return true;
  return Object.keys((schema['properties'] ?? {}) as object).length > 0;
}

function visitContent(holder: unknown, change: Change): unknown {
  if (!isObject(holder) || !isObject(holder['content'])) return holder;
  const content = mapValues(holder['content'], (media) =>
    isObject(media) && isObject(media['schema']) ? { ...media, schema: change(simplified(media['schema'])) } : media,
  );
  return { ...holder, content };
}
