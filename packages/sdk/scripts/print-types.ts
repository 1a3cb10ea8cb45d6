import { isTextMap, type Schema } from './openapi-document.ts';

/** Who writes a value: the caller or the service. */
type Direction = 'request' | 'response';

/** What to print. */
interface Types {
  /** Every schema, by its name. */
  readonly components: Readonly<Record<string, Schema>>;
  /** The names of the components that the service writes. */
  readonly responses: readonly string[];
  /** The names of the components that the caller writes. */
  readonly requests: readonly string[];
  /** Per union with the discriminator `type`: the member for values of a later version. */
  readonly unknownMembers: Readonly<Record<string, string>>;
  readonly rename: (field: string) => string;
}

interface Context extends Types {
  readonly direction: Direction;
  /** Takes the name of a component that a printed type refers to, and returns the name of its type. */
  readonly refer: (name: string, direction: Direction) => string;
  /** The components that `type` distinguishes from the other members of their union. */
  readonly members: ReadonlySet<string>;
  /** Writes the fields that a text names as the types name them. */
  readonly describe: (text: string | undefined, indent: string) => string;
}

/**
 * Prints one type per component, and one for each component that they refer to, in the order of their first use. A
 * component of both requests and responses has two types; that of requests ends in `Input`.
 */
export function printTypes(types: Types): string {
  const { components, responses, requests } = types;
  const queue: [string, Direction][] = [];
  const names = new Map<string, string>();
  const refer = (name: string, direction: Direction): string => {
    // A closed list of values is one type for both: a response adds all other texts where it is used.
    const way = isEnum(components[name]) ? 'response' : direction;
    const known = names.get(`${way} ${name}`);
    if (known !== undefined) return known;
    const isTaken = names.has(`${way === 'request' ? 'response' : 'request'} ${name}`);
    const own = isTaken ? `${name}Input` : name;
    if (own !== name && components[own]) throw new Error(`${own} is the name of another component.`);
    names.set(`${way} ${name}`, own);
    queue.push([name, way]);
    return own;
  };
  for (const name of responses) refer(name, 'response');
  const printed: string[] = [];
  const members = new Set(Object.keys(types.unknownMembers).flatMap((name) => memberNames(schemaOf(name, types))));
  const describe = describer(types);
  const printQueue = () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [name, direction] = next;
      const context = { ...types, direction, refer, members, describe };
      printed.push(declaration(name, refer(name, direction), context));
    }
  };
  // Responses come first, so that they have the shorter names.
  printQueue();
  for (const name of requests) refer(name, 'request');
  printQueue();
  return printed.join('\n');
}

function schemaOf(name: string, { components }: Types): Schema {
  const schema = components[name];
  if (schema === undefined) throw new Error(`openapi.json has no schema ${name}.`);
  return schema;
}

function memberNames({ anyOf = [] }: Schema): string[] {
  return anyOf.flatMap(({ $ref }) => ($ref === undefined ? [] : [nameIn($ref)]));
}

/** Returns the function that makes a comment of a text, with the names of the types for the fields of the API. */
function describer({ components, rename }: Types): Context['describe'] {
  const fields = new Set(Object.values(components).flatMap(({ properties = {} }) => Object.keys(properties)));
  const named = (text: string) => {
    return text.replaceAll(/`([a-z_]+)`/g, (code, name: string) => (fields.has(name) ? `\`${rename(name)}\`` : code));
  };
  return (text = '', indent) => comment(named(text), indent);
}

function isEnum(schema: Schema | undefined): boolean {
  return schema?.enum !== undefined;
}

/** Prints the component `component` as the type `name`. */
function declaration(component: string, name: string, context: Context): string {
  const schema = schemaOf(component, context);
  const about = context.describe(schema.description, '');
  if (schema.properties !== undefined) {
    const alternatives = alternativesOf(schema, context);
    if (alternatives !== '') return `${about}export type ${name} = ${object(schema, context, '')} & ${alternatives};\n`;
    const discriminator = context.members.has(component) ? 'type' : undefined;
    return `${about}export interface ${name} ${object(schema, context, '', discriminator)}\n`;
  }
  if (schema.enum !== undefined) return `${about}export type ${name} =${enumMembers(schema, context)};\n`;
  const unknownMember = context.unknownMembers[component];
  const types = [...typesOf(schema, context, ''), ...(unknownMember === undefined ? [] : [unknownMember])];
  return `${about}export type ${name} =${types.map((type) => `\n  | ${type}`).join('')};\n`;
}

/** Returns the type of the fields of which a request has at least one; empty if its schema demands no such choice. */
function alternativesOf({ allOf = [], properties = {} }: Schema, context: Context): string {
  const choices = allOf.flatMap(({ anyOf = [] }) => anyOf);
  const types = choices.map(({ required = [] }) => {
    const fields = required.map((name) => `${context.rename(name)}: ${union(properties[name] ?? {}, context, '')}`);
    return `{ ${fields.join('; ')} }`;
  });
  return context.direction === 'request' && types.length > 0 ? `(${types.join(' | ')})` : '';
}

/** Returns a line per value, below its meaning. */
function enumMembers(schema: Schema, { describe }: Context): string {
  const meanings = schema['x-enumDescriptions'] ?? {};
  const lines = (schema.enum ?? []).map((value) => {
    return `${describe(meanings[String(value)], '  ')}  | ${literal(value)}`;
  });
  const oneLine = ` ${(schema.enum ?? []).map(literal).join(' | ')}`;
  const isShort = Object.keys(meanings).length === 0 && oneLine.length < lineWidth / 2;
  return isShort ? oneLine : `\n${lines.join('\n')}`;
}

/** Returns a field's name as TypeScript accepts it: names of headers contain hyphens and need quotes. */
function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

/** The values of the field `discriminator` are not open, so that it tells which member of a union a value is. */
function object(schema: Schema, context: Context, indent: string, discriminator?: string): string {
  const { direction, rename, describe } = context;
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isOptional = !schema.required?.includes(name);
    const access = direction === 'response' ? 'readonly ' : '';
    const valueContext: Context = name === discriminator ? { ...context, direction: 'request' } : context;
    const type = union(field, valueContext, inner) + (isOptional && direction === 'request' ? ' | undefined' : '');
    const about = describe(descriptionOf(field, context), inner);
    return `${about}${broken(`${inner}${access}${propertyName(rename(name))}${isOptional ? '?' : ''}: ${type};\n`, inner)}`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

/** Returns the description of a field: its own, or that of a component that has no type of its own. */
function descriptionOf({ description, $ref }: Schema, context: Context): string {
  const target = $ref === undefined ? undefined : schemaOf(nameIn($ref), context);
  return description ?? (target && !isNamed(target) ? target.description : undefined) ?? '';
}

/** Returns whether a component becomes a type. A text, a number or a free object is written where it is used. */
function isNamed({ properties, enum: values, anyOf }: Schema): boolean {
  return properties !== undefined || values !== undefined || anyOf !== undefined;
}

/** Returns the name at the end of `#/components/schemas/Name`. */
function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Breaks a field with a long union type into a line per member. */
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
  if (schema.$ref !== undefined) return referred(nameIn(schema.$ref), context, indent);
  if (schema.anyOf !== undefined) {
    const members = schema.anyOf.flatMap((one) => typesOf(one, context, indent));
    return schema.anyOf.some((one) => one.const !== undefined) ? openEnum(members, context) : members;
  }
  if (schema.const !== undefined) return [literal(schema.const)];
  if (schema.enum !== undefined) return openEnum(schema.enum.map(literal), context);
  const { type } = schema;
  if (type === undefined) return ['unknown'];
  if (typeof type === 'string') return ofType(type, schema, context, indent);
  return type.flatMap((one) => typesOf({ ...schema, type: one }, context, indent));
}

function referred(name: string, context: Context, indent: string): string[] {
  const target = schemaOf(name, context);
  if (!isNamed(target)) return typesOf(target, context, indent);
  const type = context.refer(name, context.direction);
  return isEnum(target) ? openEnum([type], context) : [type];
}

/** Adds all texts to the known ones of a response, because a later version of the service may have more. */
function openEnum(types: string[], { direction }: Context): string[] {
  const isOpen = direction === 'response' && !types.includes('string') && types.some((type) => type !== 'null');
  return isOpen ? [...types, '(string & {})'] : types;
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
  if (isRequest && isTextMap(schema)) return ['Readonly<Record<string, string>>'];
  return [schema.properties === undefined ? 'Record<string, unknown>' : object(schema, context, indent)];
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The width of the generated file. */
const lineWidth = 120;

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
