import { isDeepStrictEqual } from 'node:util';
import { errorCatalog } from '../lib/error-catalog.ts';
import { createNamedSchemas, isObject, type JsonSchema, mapValues, type NamedSchemas } from './openapi-schemas.ts';
import { shareParts } from './openapi-shared-parts.ts';
import { serialisable } from './response-schema.ts';

/** The meaning of each value of a named enumeration, by the name of its component. */
export type EnumMeanings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the published document has beyond the routes. */
export interface DocumentParts {
  readonly enumMeanings: EnumMeanings;
  /** The schema of the body of a delivery to a webhook endpoint. */
  readonly event: object;
}

const errorMeanings: EnumMeanings = {
  ErrorCode: Object.fromEntries(errorCatalog.map(({ code, meaning }) => [code, meaning])),
};

/**
 * Returns the document that the service publishes: schemas with a title are components, as are parameters that several
 * operations share. `inline` is the document of @fastify/swagger, in which every schema is inline.
 */
export function publishedDocument(inline: object, { enumMeanings, event }: DocumentParts): JsonSchema {
  const document = JSON.parse(JSON.stringify({ ...inline, webhooks: webhooksOf(event) })) as JsonSchema;
  const schemas = createNamedSchemas();
  visitSchemas(document, (schema) => {
    schemas.count(schema);
    return schema;
  });
  const { components = {}, ...rest } = visitSchemas(document, (schema) => schemas.toReference(schema)) as {
    readonly components?: JsonSchema;
  } & JsonSchema;
  const { parameters, responses, paths } = shareParts(rest['paths'] as JsonSchema);
  return {
    ...rest,
    security: usualSecurity,
    paths: mapValues(paths, (item, path) =>
      mapValues(item as JsonSchema, (operation) => withoutUsualSecurity(withoutRepetition(path, operation))),
    ),
    components: {
      ...components,
      parameters,
      responses: { ...(components['responses'] as JsonSchema), ...responses },
      schemas: withMeanings(schemas, { ...errorMeanings, ...enumMeanings }),
    },
  };
}

const usualSecurity = [{ bearer: [] }];

/** Most operations need a token, so the document says it once. */
function withoutUsualSecurity(operation: unknown): unknown {
  if (!isObject(operation)) return operation;
  const { security, ...rest } = operation;
  return isDeepStrictEqual(security, usualSecurity) ? rest : operation;
}

/** The operations of a tenant's resources are described once, on the tenant's own surface. */
function withoutRepetition(path: string, operation: unknown): unknown {
  if (!path.startsWith('/api/v1/admin/tenants/{tenantId}/') || !isObject(operation)) return operation;
  const { description: _description, ...rest } = operation;
  return rest;
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
    const short = withoutRepeatedExamples(schema as JsonSchema);
    return ofName === undefined ? short : { ...short, 'x-enumDescriptions': ofName };
  });
}

/** Removes the examples of fields that the example of the whole object shows. */
function withoutRepeatedExamples(schema: JsonSchema): JsonSchema {
  const { properties, examples } = schema;
  if (!isObject(properties) || !Array.isArray(examples)) return schema;
  const shown = new Set(examples.filter(isObject).flatMap((example) => Object.keys(example)));
  const shortened = mapValues(properties, (property, name) => {
    if (!isObject(property) || !shown.has(name)) return property;
    const { examples: _examples, ...rest } = property;
    return rest;
  });
  return { ...schema, properties: shortened };
}

type Change = (schema: JsonSchema) => JsonSchema;

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
      parameters: parameters.map((parameter: JsonSchema) =>
        isObject(parameter['schema']) ? { ...parameter, schema: change(simplified(parameter['schema'])) } : parameter,
      ),
    }),
    ...(isObject(requestBody) && {
      requestBody: takesFields(requestBody) ? visitContent(requestBody, change) : undefined,
    }),
    ...(isObject(responses) && { responses: mapValues(responses, (response) => visitContent(response, change)) }),
  };
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
