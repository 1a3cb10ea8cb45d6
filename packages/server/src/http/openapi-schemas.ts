import { isDeepStrictEqual } from 'node:util';

/** A JSON schema in a document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns true for a JSON object. */
export function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
export function mapValues<Value>(map: JsonSchema, change: (value: unknown, name: string) => Value) {
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

/** Splits a schema with a title; undefined for every other schema. Throws for a title that is no name of a type. */
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
export interface NamedSchemas {
  /** Counts a schema and everything in it. Call it for every schema before `toReference`. */
  count(schema: JsonSchema): void;
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

  function count(schema: JsonSchema): void {
    const occurrence = occurrenceOf(schema);
    if (occurrence !== undefined) {
      const ofName = counts.get(occurrence.name) ?? new Map<string, number>();
      const text = JSON.stringify(sharable(occurrence.annotations));
      ofName.set(text, (ofName.get(text) ?? 0) + 1);
      counts.set(occurrence.name, ofName);
    }
    mapSubschemas(schema, (subschema) => {
      count(subschema);
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
