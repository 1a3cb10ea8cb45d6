import { isTextMap, type Schema } from './openapi-document.ts';

/** Who writes a value: the caller or the service. */
type Direction = 'request' | 'response';

interface GoType {
  readonly name: string;
  readonly isNullable: boolean;
}

interface GoField {
  readonly comment: string;
  readonly name: string;
  readonly type: string;
  readonly tag: string;
}

const lineWidth = 120;
const initialisms = new Set(['api', 'csv', 'html', 'http', 'id', 'ids', 'ip', 'json', 'ttl', 'uri', 'url']);

/** Returns a name in snake_case or camelCase as an exported one of Go. */
export function exported(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split(/[_-]/);
  return words
    .map((word) => {
      if (!initialisms.has(word)) return `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;
      return word === 'ids' ? 'IDs' : word.toUpperCase();
    })
    .join('');
}

/** Returns a text as a comment of lines that are not too long. */
export function goComment(text: string, indent = ''): string {
  const lines: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`;
    // A tab counts as four characters.
    if (lines.length === 0 || longer.length + 4 * indent.length > lineWidth) lines.push(`// ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** Collects the types of an API as structs of Go. */
export class GoTypes {
  readonly #components: Readonly<Record<string, Schema>>;
  readonly #names = new Map<string, string>();
  readonly #results = new Set<string>();
  readonly #schemas = new Map<string, readonly [Schema, Direction]>();

  constructor(components: Readonly<Record<string, Schema>>) {
    this.#components = components;
  }

  /** Returns the type of a JSON body. */
  body(schema: Schema): string {
    return this.#typeOf(schema, 'request').name;
  }

  /** Returns the type of a result, which keeps the text of the answer. */
  result(schema: Schema): GoType {
    const type = this.#typeOf(schema, 'response');
    this.#results.add(type.name.replace('[]', ''));
    return type;
  }

  /** Adds a type that the document does not name, and returns its name. */
  add(name: string, schema: Schema): string {
    if (!this.#schemas.has(name)) this.#schemas.set(name, [schema, 'request']);
    // Its fields may need types of their own.
    this.#fieldsOf(schema, 'request');
    return name;
  }

  /** Returns every type, in the order of their names. */
  print(): string {
    const sorted = [...this.#schemas].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([name, [schema, direction]]) => this.#struct(name, schema, direction)).join('\n');
  }

  #typeOf(schema: Schema, direction: Direction): GoType {
    if (schema.$ref !== undefined)
      return this.#referred(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1), direction);
    if (schema.anyOf !== undefined) return union(schema.anyOf.map((one) => this.#typeOf(one, direction)));
    const [value] = schema.enum ?? [schema.const];
    if (value !== undefined) return typeOfValue(value);
    const { type = 'any' } = schema;
    return union((typeof type === 'string' ? [type] : type).map((one) => this.#ofType(one, schema, direction)));
  }

  #ofType(type: string, schema: Schema, direction: Direction): GoType {
    if (type === 'null') return { name: '', isNullable: true };
    if (type === 'array') {
      const item = this.#typeOf(schema.items ?? {}, direction);
      return { name: `[]${item.isNullable ? '*' : ''}${item.name}`, isNullable: false };
    }
    const isTime = direction === 'request' && schema.format === 'date-time';
    const names: Readonly<Record<string, string>> = {
      ...{ integer: 'int64', number: 'float64', boolean: 'bool', string: isTime ? 'time.Time' : 'string' },
      object: direction === 'request' && isTextMap(schema) ? 'map[string]string' : 'map[string]any',
    };
    return { name: names[type] ?? 'any', isNullable: false };
  }

  #referred(component: string, direction: Direction): GoType {
    const schema = this.#components[component];
    if (schema === undefined) throw new Error(`openapi.json has no schema ${component}.`);
    if (schema.properties === undefined) return this.#typeOf(schema, direction);
    const known = this.#names.get(`${direction} ${component}`);
    if (known !== undefined) return { name: known, isNullable: false };
    const isTaken = this.#names.has(`${direction === 'request' ? 'response' : 'request'} ${component}`);
    const name = exported(isTaken ? `${component}${direction === 'request' ? 'Input' : 'Output'}` : component);
    this.#names.set(`${direction} ${component}`, name);
    this.#schemas.set(name, [schema, direction]);
    this.#fieldsOf(schema, direction);
    return { name, isNullable: false };
  }

  #fieldsOf({ properties = {}, required = [] }: Schema, direction: Direction): GoField[] {
    return Object.entries(properties).map(([field, schema]) => {
      const type = this.#typeOf(schema, direction);
      const isRequired = required.includes(field);
      const isSent = direction === 'response' || isRequired;
      const resolved = this.#resolved(schema);
      return {
        comment: commentOf(schema, resolved),
        name: exported(field),
        type: isSent ? pointer(type, isRequired) : optional(type, resolved),
        tag: `\`json:"${field}${isSent ? '' : ',omitempty'}"\``,
      };
    });
  }

  /** The schema with the rules of a value that may be null or a component. */
  #resolved(schema: Schema): Schema {
    const one = schema.anyOf?.find((other) => other.type !== 'null') ?? schema;
    return one.$ref === undefined ? one : (this.#components[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)] ?? one);
  }

  #struct(name: string, schema: Schema, direction: Direction): string {
    const fields = this.#fieldsOf(schema, direction);
    const about = goComment(`${name}: ${schema.description ?? 'a part of the tenant API.'}`);
    const head = this.#results.has(name) ? ['\tAnswer\n\n'] : [];
    return `${about}type ${name} struct {\n${[...head, ...aligned(fields)].join('')}}\n`;
  }
}

function typeOfValue(value: unknown): GoType {
  const names: Readonly<Record<string, string>> = { boolean: 'bool', number: 'int64' };
  return { name: names[typeof value] ?? 'string', isNullable: false };
}

/** Returns the type of a union. Go has no unions, so several types become `any`. */
function union(types: readonly GoType[]): GoType {
  const names = [...new Set(types.map(({ name }) => name).filter((name) => name !== ''))];
  return { name: names.length > 1 ? 'any' : (names[0] ?? ''), isNullable: types.some((one) => one.isNullable) };
}

/** Nil slices, maps and interfaces are null without a pointer. */
function pointer({ name, isNullable }: GoType, isRequired: boolean): string {
  const mayBeNil = name === 'any' || /^(?:\[\]|map)/.test(name);
  return (isNullable || !isRequired) && !mayBeNil ? `*${name}` : name;
}

/** A field that the caller may leave out. If the service refuses its zero value, zero means left out. */
function optional({ name, isNullable }: GoType, rules: Schema): string {
  if (isNullable) return `*Nullable[${name}]`;
  const isZeroless =
    (name === 'string' && (rules.enum ?? rules.format ?? rules.minLength ?? rules.pattern) !== undefined) ||
    (name === 'int64' && (rules.minimum ?? 0) > 0) ||
    (name.startsWith('[]') && (rules.minItems ?? 0) > 0);
  return isZeroless || name === 'any' ? name : `*${name}`;
}

function commentOf({ description }: Schema, { enum: values, description: general }: Schema): string {
  const texts = [description ?? (values && general)];
  if (values !== undefined) texts.push(`One of: ${values.map(String).join(', ')}.`);
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? '' : goComment(given.join(' '), '\t');
}

/** Returns lines whose columns are aligned as gofmt does: a comment begins a new block. */
function aligned(fields: readonly GoField[]): string[] {
  const blocks: GoField[][] = [];
  for (const field of fields) {
    if (field.comment !== '' || blocks.length === 0) blocks.push([field]);
    else blocks.at(-1)?.push(field);
  }
  return blocks.flatMap((block) => {
    const nameWidth = Math.max(...block.map(({ name }) => name.length));
    const typeWidth = Math.max(...block.map(({ type }) => type.length));
    return block.map(
      ({ comment, name, type, tag }) => `${comment}\t${name.padEnd(nameWidth)} ${type.padEnd(typeWidth)} ${tag}\n`,
    );
  });
}
