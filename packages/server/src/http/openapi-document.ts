import { type ErrorCatalogEntry, errorCatalog } from '../lib/error-catalog.ts';
import { createNamedSchemas, isObject, type JsonSchema, mapValues, type NamedSchemas } from './openapi-schemas.ts';
import { serialisable } from './response-schema.ts';

/** The meaning of each value of a named enumeration, by the name of its component. */
export type EnumMeanings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** An event that the service sends, in the form of the section `webhooks`. */
export interface DocumentedEvent {
  readonly operationId: string;
  readonly summary: string;
  /** The schema of the body of the delivery. */
  readonly body: object;
}

/** What the published document has beyond the routes. */
export interface DocumentParts {
  readonly enumMeanings: EnumMeanings;
  /** The events by their type. */
  readonly events: Readonly<Record<string, DocumentedEvent>>;
}

const toText = ({ meaning, remedy }: ErrorCatalogEntry) => `${meaning} ${remedy}`;

const errorMeanings: EnumMeanings = {
  ErrorCode: Object.fromEntries(errorCatalog.map((entry) => [entry.code, toText(entry)])),
};

/**
 * Returns the document that the service publishes: schemas with a title are components, as are parameters that several
 * operations share. `inline` is the document of @fastify/swagger, in which every schema is inline.
 */
export function publishedDocument(inline: object, { enumMeanings, events }: DocumentParts): JsonSchema {
  const document = JSON.parse(JSON.stringify({ ...inline, webhooks: webhooksOf(events) })) as JsonSchema;
  const schemas = createNamedSchemas();
  visitSchemas(document, (schema) => {
    schemas.count(schema);
    return schema;
  });
  const { components = {}, ...rest } = visitSchemas(document, (schema) => schemas.toReference(schema)) as {
    readonly components?: JsonSchema;
  } & JsonSchema;
  const { parameters, paths } = shareParameters(rest['paths'] as JsonSchema);
  return {
    ...rest,
    paths,
    components: {
      ...components,
      parameters,
      schemas: withMeanings(schemas, { ...errorMeanings, ...enumMeanings }),
    },
  };
}

function webhooksOf(events: DocumentParts['events']) {
  return mapValues(events, (event) => {
    const { operationId, summary, body } = event as DocumentedEvent;
    return {
      post: {
        operationId,
        summary,
        tags: ['Webhooks'],
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
        responses: { 204: { description: 'Any 2xx status acknowledges the event.' } },
      },
    };
  });
}

function withMeanings(schemas: NamedSchemas, meanings: EnumMeanings) {
  return mapValues(schemas.components(), (schema, name) => {
    const ofName = meanings[name];
    return ofName === undefined ? schema : { ...(schema as JsonSchema), 'x-enumDescriptions': ofName };
  });
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
    ...(isObject(requestBody) && { requestBody: visitContent(requestBody, change) }),
    ...(isObject(responses) && { responses: mapValues(responses, (response) => visitContent(response, change)) }),
  };
}

function visitContent(holder: unknown, change: Change): unknown {
  if (!isObject(holder) || !isObject(holder['content'])) return holder;
  const content = mapValues(holder['content'], (media) =>
    isObject(media) && isObject(media['schema']) ? { ...media, schema: change(simplified(media['schema'])) } : media,
  );
  return { ...holder, content };
}

function nameOf(parameter: JsonSchema): string {
  const words = String(parameter['name']).split(/[^A-Za-z0-9]+/);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return parameter['in'] === 'path' ? `${name}InPath` : name;
}

/** Returns the paths with references to the parameters that at least two operations share. */
function shareParameters(paths: JsonSchema) {
  const counts = new Map<string, number>();
  const each = (change: (parameter: JsonSchema) => unknown) =>
    mapValues(paths, (item) =>
      mapValues(item as JsonSchema, (operation) => {
        const { parameters } = operation as { readonly parameters?: readonly JsonSchema[] };
        return parameters === undefined
          ? operation
          : { ...(operation as JsonSchema), parameters: parameters.map(change) };
      }),
    );
  each((parameter) => {
    const text = JSON.stringify(parameter);
    return counts.set(text, (counts.get(text) ?? 0) + 1);
  });
  const byCount = [...counts].filter(([, count]) => count > 1).sort(([, one], [, other]) => other - one);
  const shared = new Map<string, string>();
  const parameters: Record<string, JsonSchema> = {};
  for (const [text] of byCount) {
    const parameter = JSON.parse(text) as JsonSchema;
    const name = nameOf(parameter);
    if (name in parameters) continue;
    parameters[name] = parameter;
    shared.set(text, name);
  }
  const changed = each((parameter) => {
    const name = shared.get(JSON.stringify(parameter));
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
  });
  return { parameters, paths: changed };
}
