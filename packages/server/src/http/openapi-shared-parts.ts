import { isObject, type JsonSchema, mapValues } from './openapi-schemas.ts';

/** Parts of operations that several operations share, by name, and the names by the JSON of the part. */
interface Shared {
  readonly components: Readonly<Record<string, JsonSchema>>;
  readonly names: ReadonlyMap<string, string>;
}

/** Names the parts that occur at least twice, the most frequent first: of two parts with one name the other stays inline. */
function share(parts: readonly JsonSchema[], nameOf: (part: JsonSchema) => string | undefined): Shared {
  const counts = new Map<string, number>();
  for (const part of parts) {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const byCount = [...counts].filter(([, count]) => count > 1).sort(([, one], [, other]) => other - one);
  const components: Record<string, JsonSchema> = {};
  const names = new Map<string, string>();
  for (const [text] of byCount) {
    const part = JSON.parse(text) as JsonSchema;
    const name = nameOf(part);
    if (name === undefined || name in components) continue;
    components[name] = part;
    names.set(text, name);
  }
  return { components, names };
}

function parameterName(parameter: JsonSchema): string {
  const words = String(parameter['name']).split(/[^A-Za-z0-9]+/);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return parameter['in'] === 'query' ? `${name}Query` : name;
}

function referenceOf(schema: unknown): string | undefined {
  return isObject(schema) ? /^#\/components\/schemas\/(\w+)$/.exec(String(schema['$ref']))?.[1] : undefined;
}

/** Returns `LicenseResponse` or `LicensePage` for an envelope of named schemas; undefined for any other response. */
function responseName({ content }: JsonSchema): string | undefined {
  const { 'application/json': media, ...others } = (content ?? {}) as Readonly<Record<string, JsonSchema>>;
  const schema = media?.['schema'];
  if (!isObject(schema) || !isObject(schema['properties']) || Object.keys(others).length > 0) return undefined;
  const { data } = schema['properties'];
  const one = referenceOf(data);
  if (one !== undefined) return `${one}Response`;
  const item = isObject(data) && data['type'] === 'array' ? referenceOf(data['items']) : undefined;
  return item === undefined ? undefined : `${item}Page`;
}

function everyOperation(paths: JsonSchema): JsonSchema[] {
  return Object.values(paths).flatMap((item) => Object.values(item as JsonSchema) as JsonSchema[]);
}

const parametersOf = ({ parameters }: JsonSchema) => (parameters ?? []) as readonly JsonSchema[];
const responsesOf = ({ responses }: JsonSchema) => responses as Readonly<Record<string, JsonSchema>>;

/** Moves the parameters that all operations of a path have to the path. */
function liftParameters(item: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const lists = Object.values(item).map((operation) => parametersOf(operation).map((one) => JSON.stringify(one)));
  const [first = [], ...others] = lists;
  const common = new Set(first.filter((text) => others.length > 0 && others.every((list) => list.includes(text))));
  if (common.size === 0) return item;
  const operations = mapValues(item, (operation) => {
    const { parameters: _parameters, ...rest } = operation as JsonSchema;
    const own = parametersOf(operation as JsonSchema).filter((one) => !common.has(JSON.stringify(one)));
    return own.length === 0 ? rest : { ...rest, parameters: own };
  });
  return { parameters: [...common].map((text) => JSON.parse(text)), ...operations };
}

/**
 * Returns the paths of a document with references to the parameters and the responses that operations share, and the
 * components to which they refer.
 */
export function shareParts(paths: JsonSchema) {
  const operations = everyOperation(paths);
  const parameters = share(operations.flatMap(parametersOf), parameterName);
  const responses = share(
    operations.flatMap((operation) => Object.values(responsesOf(operation))),
    responseName,
  );
  const refer = (shared: Shared, kind: string) => (part: JsonSchema) => {
    const name = shared.names.get(JSON.stringify(part));
    return name === undefined ? part : { $ref: `#/components/${kind}/${name}` };
  };
  const toResponse = refer(responses, 'responses');
  const shortened = (operation: JsonSchema) => ({
    ...operation,
    ...(operation['parameters'] !== undefined && {
      parameters: parametersOf(operation).map(refer(parameters, 'parameters')),
    }),
    responses: mapValues(responsesOf(operation), (response) => toResponse(response as JsonSchema)),
  });
  return {
    parameters: parameters.components,
    responses: responses.components,
    paths: mapValues(paths, (item) =>
      liftParameters(mapValues(item as JsonSchema, (operation) => shortened(operation as JsonSchema))),
    ),
  };
}
