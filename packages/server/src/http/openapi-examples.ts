import { isObject, type JsonObject } from '../lib/json-object.ts';

/** Returns an object with the same names and changed values. */
function mapValues(map: unknown, change: (value: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map as JsonObject).map(([name, value]) => [name, change(value as JsonObject)]),
  );
}

function componentOf(schemas: JsonObject, reference: unknown): JsonObject | undefined {
  if (typeof reference !== 'string') return undefined;
  return schemas[reference.replace('#/components/schemas/', '')] as JsonObject | undefined;
}

/** Returns the example of an object from those of its required fields; undefined if one of them has none. */
function exampleOfObject(schemas: JsonObject, { properties, required = [] }: JsonObject): unknown {
  if (!isObject(properties)) return undefined;
  const fields = (required as string[]).map((name) => [name, exampleOf(schemas, properties[name])] as const);
  return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields);
}

/** Returns the example that a schema declares, or one of the examples of its parts; undefined if one is missing. */
function exampleOf(schemas: JsonObject, schema: unknown): unknown {
  if (!isObject(schema)) return undefined;
  const { examples, const: constant, $ref, items, type } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (constant !== undefined) return constant;
  if ($ref !== undefined) return exampleOf(schemas, componentOf(schemas, $ref));
  if (type === 'array') {
    const item = exampleOf(schemas, items);
    return item === undefined ? undefined : [item];
  }
  return exampleOfObject(schemas, schema);
}

/**
 * Returns the document with an example of each JSON response of a success whose schemas declare examples. Tools that show
 * or imitate the API then present a whole response, envelope included, instead of values that they invent.
 */
export function withResponseExamples(document: JsonObject): JsonObject {
  const { schemas = {} } = document['components'] as JsonObject;
  const withExample = (response: JsonObject): JsonObject => {
    const media = (response['content'] as JsonObject | undefined)?.['application/json'];
    if (!isObject(media) || media['example'] !== undefined || media['examples'] !== undefined) return response;
    const example = exampleOf(schemas as JsonObject, media['schema']);
    if (example === undefined) return response;
    const content = { ...(response['content'] as JsonObject), 'application/json': { ...media, example } };
    return { ...response, content };
  };
  return {
    ...document,
    paths: mapValues(document['paths'], (item) =>
      mapValues(item, (operation) => ({ ...operation, responses: mapValues(operation['responses'], withExample) })),
    ),
  };
}
