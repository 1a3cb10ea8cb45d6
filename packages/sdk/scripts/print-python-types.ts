import { isTextMap, type Schema } from './openapi-document.ts';

/** Who writes a value: the caller or the service. */
type Direction = 'request' | 'response';

const keywords = new Set(['from', 'import', 'class', 'global', 'pass', 'in', 'is', 'not', 'or', 'and', 'lambda']);
const lineWidth = 120;

/** Collects the types of an API in Python: `TypedDict` for objects, `Literal` for the values of requests. */
export class PythonTypes {
  readonly #components: Readonly<Record<string, Schema>>;
  readonly #names = new Map<string, string>();
  readonly #printed: string[] = [];

  constructor(components: Readonly<Record<string, Schema>>) {
    this.#components = components;
  }

  /** Returns a schema as an annotation, and prints the components that it needs. */
  annotation(schema: Schema, direction: Direction): string {
    const types = [...new Set(this.#typesOf(schema, direction))];
    const others = types.filter((type) => type !== 'None');
    const union = others.length > 1 ? `Union[${others.join(', ')}]` : (others[0] ?? 'None');
    return types.length > others.length && others.length > 0 ? `Optional[${union}]` : union;
  }

  /** Returns every type, in the order of their names. */
  print(): string {
    return this.#printed.toSorted().join('\n\n');
  }

  #typesOf(schema: Schema, direction: Direction): string[] {
    if (schema.$ref !== undefined)
      return this.#referred(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1), direction);
    if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => this.#typesOf(one, direction));
    const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (values !== undefined) return [literal(values, direction)];
    const { type } = schema;
    if (type === undefined) return ['Any'];
    return (typeof type === 'string' ? [type] : type).map((one) => this.#ofType(one, schema, direction));
  }

  #ofType(type: string, schema: Schema, direction: Direction): string {
    if (type === 'array') return `List[${this.annotation(schema.items ?? {}, direction)}]`;
    if (type === 'object') return `Dict[str, ${direction === 'request' && isTextMap(schema) ? 'str' : 'Any'}]`;
    if (type === 'string') return direction === 'request' && schema.format === 'date-time' ? 'Timestamp' : 'str';
    const names: Readonly<Record<string, string>> = { integer: 'int', number: 'float', boolean: 'bool', null: 'None' };
    return names[type] ?? 'Any';
  }

  #referred(name: string, direction: Direction): string[] {
    const schema = this.#components[name];
    if (schema === undefined) throw new Error(`openapi.json has no schema ${name}.`);
    // Later versions of the service may have more codes, and an editor should complete the known ones.
    if (name === 'VerdictCode') return ['Code'];
    if (schema.enum !== undefined && direction === 'request') return [this.#literal(name, schema.enum)];
    if (schema.properties === undefined) return this.#typesOf(schema, direction);
    return [this.#named(name, schema, direction)];
  }

  /** The values that a caller may send are a type of their own. */
  #literal(name: string, values: readonly unknown[]): string {
    if (!this.#names.has(name)) {
      this.#names.set(name, name);
      this.#printed.push(`${name} = Literal[\n${values.map((value) => `    ${JSON.stringify(value)},\n`).join('')}]\n`);
    }
    return name;
  }

  #named(component: string, schema: Schema, direction: Direction): string {
    const known = this.#names.get(`${direction} ${component}`);
    if (known !== undefined) return known;
    const isTaken = this.#names.has(`${direction === 'request' ? 'response' : 'request'} ${component}`);
    const name = isTaken ? `${component}${direction === 'request' ? 'Input' : 'Output'}` : component;
    this.#names.set(`${direction} ${component}`, name);
    this.#printed.push(this.#typedDict(name, schema, direction));
    return name;
  }

  #typedDict(name: string, { description = '', properties = {}, required = [] }: Schema, direction: Direction): string {
    const fields = Object.entries(properties).map(([field, value]) => {
      return { field, type: this.annotation(value, direction), isRequired: required.includes(field) };
    });
    const about = docstring(description || `The fields of ${name}.`, '    ');
    const linesOf = (some: typeof fields) => some.map(({ field, type }) => `    ${field}: ${type}\n`).join('');
    const bad = fields.find(({ field }) => !/^[a-z_]\w*$/i.test(field) || keywords.has(field));
    if (bad !== undefined) {
      const entries = fields.map(({ field, type }) => `        "${field}": ${JSON.stringify(type)},\n`).join('');
      return `${name} = TypedDict(\n    "${name}",\n    {\n${entries}    },\n    total=False,\n)\n${docstring(description, '')}`;
    }
    const isRequired = fields.filter((one) => one.isRequired);
    const isOptional = fields.filter((one) => !one.isRequired);
    if (isOptional.length === 0) return `class ${name}(TypedDict):\n${about}\n${linesOf(isRequired)}`;
    if (isRequired.length === 0) return `class ${name}(TypedDict, total=False):\n${about}\n${linesOf(isOptional)}`;
    const base = `class _${name}Fields(TypedDict):\n${linesOf(isRequired)}`;
    return `${base}\n\nclass ${name}(_${name}Fields, total=False):\n${about}\n${linesOf(isOptional)}`;
  }
}

/** The values of a response are open, because a later version of the service may have more. */
function literal(values: readonly unknown[], direction: Direction): string {
  if (values.every((value) => typeof value === 'boolean')) return 'bool';
  if (direction === 'response') return typeof values[0] === 'number' ? 'int' : 'str';
  return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
}

/** Returns a text as a docstring of lines that are not too long. */
export function docstring(text: string, indent: string): string {
  const lines = [`${indent}"""`];
  for (const word of text.replaceAll('`', '``').replaceAll('\\', '\\\\').replaceAll('"', "'").split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    const isFirst = last.endsWith('"""') && lines.length === 1;
    const longer = isFirst || last.trim() === '' ? last + word : `${last} ${word}`;
    if (longer.length + 3 > lineWidth) lines.push(indent + word);
    else lines[lines.length - 1] = longer;
  }
  return lines.length === 1 ? `${lines[0]}"""\n` : `${lines.join('\n')}\n${indent}"""\n`;
}
