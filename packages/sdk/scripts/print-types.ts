/** The part of JSON Schema (2020-12) that the API uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/** Who writes a value: the caller or the service. */
export type Direction = 'request' | 'response';

/** A schema that becomes an interface. */
export interface NamedSchema {
  readonly name: string;
  readonly direction: Direction;
  /** One sentence. */
  readonly about: string;
  readonly schema: Schema;
}

interface Context {
  readonly direction: Direction;
  readonly rename: (name: string) => string;
  /** Returns the name of the interface with this shape. */
  readonly nameOf: (schema: Schema) => string | undefined;
}

const lineWidth = 120;

/** Prints one interface per schema. A part with the shape of another schema of the list refers to that interface. */
export function printTypes(schemas: readonly NamedSchema[], rename: (name: string) => string): string {
  const names = new Map(schemas.map(({ name, direction, schema }) => [shapeOf(direction, schema), name]));
  const printed = schemas.map(({ name, direction, about, schema }) => {
    const nameOf = (part: Schema) => names.get(shapeOf(direction, part));
    return `${comment(about, '')}export interface ${name} ${object(schema, { direction, rename, nameOf }, '')}\n`;
  });
  return printed.join('\n');
}

/** The keywords that change no type. */
const annotations = new Set(['description', 'title', 'default', 'example', 'examples', 'minimum', 'maximum']);

/** Returns a text that is equal for schemas of the same type. */
function shapeOf(direction: Direction, schema: Schema): string {
  const withoutAnnotations = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(withoutAnnotations);
    if (typeof node !== 'object' || node === null) return node;
    const kept = Object.entries(node).filter(([key, value]) => !(annotations.has(key) && typeof value !== 'object'));
    return Object.fromEntries(kept.sort().map(([key, value]) => [key, withoutAnnotations(value)]));
  };
  return `${direction} ${JSON.stringify(withoutAnnotations(schema))}`;
}

function object(schema: Schema, context: Context, indent: string): string {
  const { direction, rename } = context;
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isOptional = !schema.required?.includes(name);
    const access = direction === 'response' ? 'readonly ' : '';
    const type = union(field, context, inner) + (isOptional && direction === 'request' ? ' | undefined' : '');
    const about = field.description ?? '';
    return `${comment(about, inner)}${broken(`${inner}${access}${rename(name)}${isOptional ? '?' : ''}: ${type};\n`, inner)}`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

/** Breaks a field whose type is a long union into a line per member. */
function broken(field: string, indent: string): string {
  if (field.length <= lineWidth || field.includes('{\n')) return field;
  const [name, ...type] = field.split(': ');
  return `${name}:\n${indent}  | ${type.join(': ').replaceAll(' | ', `\n${indent}  | `)}`;
}

function union(schema: Schema, context: Context, indent: string): string {
  const types = [...new Set(typesOf(schema, context, indent))];
  // `null` last, as people write it.
  return [...types.filter((type) => type !== 'null'), ...types.filter((type) => type === 'null')].join(' | ');
}

function typesOf(schema: Schema, context: Context, indent: string): string[] {
  const name = context.nameOf(schema);
  if (name !== undefined) return [name];
  if (schema.anyOf !== undefined)
    return openEnum(
      schema.anyOf.flatMap((one) => typesOf(one, context, indent)),
      context,
    );
  if (schema.const !== undefined) return [literal(schema.const)];
  if (schema.enum !== undefined) return openEnum(schema.enum.map(literal), context);
  const { type } = schema;
  if (type === undefined) return ['unknown'];
  if (typeof type === 'string') return ofType(type, schema, context, indent);
  return type.flatMap((one) => typesOf({ ...schema, type: one }, context, indent));
}

/** Adds all texts to the known ones of a response, because a later version of the service may have more. */
function openEnum(types: string[], { direction }: Context): string[] {
  const isEnum = types.some((type) => type.startsWith("'")) && !types.includes('string');
  return isEnum && direction === 'response' ? [...types, '(string & {})'] : types;
}

function ofType(type: string, schema: Schema, context: Context, indent: string): string[] {
  const isRequest = context.direction === 'request';
  if (type === 'integer') return ['number'];
  if (type === 'string') return schema.format === 'date-time' && isRequest ? ['string', 'Date'] : ['string'];
  if (type === 'array') {
    const items = typesOf(schema.items ?? {}, context, indent);
    const item = items.length > 1 ? `(${items.join(' | ')})` : items.join('');
    return [`${isRequest ? 'readonly ' : ''}${item}[]`];
  }
  if (type !== 'object') return [type];
  return [schema.properties === undefined ? 'Record<string, unknown>' : object(schema, context, indent)];
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** Returns a doc comment with a line break, or nothing without a text. */
function comment(text: string, indent: string): string {
  if (text === '') return '';
  const oneLine = `${indent}/** ${text} */\n`;
  if (oneLine.length <= lineWidth) return oneLine;
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    if (indent.length + 2 + longer.length > lineWidth) lines.push(` ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} *${line}\n`).join('')}${indent} */\n`;
}
