import { type Member, resolve, type Scope, type Scoped, type Type } from './declarations.ts';

/**
 * How values are written: `json` as in responses and events; `form` as in requests, where every value is a text and a list
 * is a tree with the keys 0, 1, 2 ….
 */
type Notation = 'json' | 'form';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns how a value differs from a type: one sentence per place. Empty when it has the type. */
export function differences(value: unknown, scoped: Scoped, notation: Notation, path = ''): string[] {
  const resolved = resolve(scoped);
  switch (resolved.type.kind) {
    case 'reference':
      return differences(value, resolved, notation, path);
    case 'list':
      return listDifferences(value, { type: resolved.type.element, scope: resolved.scope }, notation, path);
    case 'union':
      return unionDifferences(value, resolved.type.members, resolved.scope, notation, path);
    case 'object':
      return objectDifferences(value, resolved.type, resolved.scope, notation, path);
    default:
      return isOf(value, resolved.type, notation)
        ? []
        : [`${path || 'the value'} is ${shown(value)}, not ${named(resolved.type)}`];
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? 'absent';
}

function named(type: Type): string {
  return type.kind === 'literal' ? JSON.stringify(type.value) : type.kind;
}

function isOf(value: unknown, type: Type, notation: Notation): boolean {
  const isForm = notation === 'form';
  switch (type.kind) {
    case 'anything':
      return true;
    case 'string':
      return typeof value === 'string';
    case 'number':
      return isForm ? typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) : typeof value === 'number';
    case 'boolean':
      return isForm ? value === 'true' || value === 'false' : typeof value === 'boolean';
    case 'null':
      return isForm ? value === '' : value === null;
    case 'literal':
      return isForm ? value === String(type.value) : value === type.value;
    default:
      // Values that the library does not list, and `void`, which marks a field of another member of a union.
      return false;
  }
}

function listDifferences(value: unknown, element: Scoped, notation: Notation, path: string): string[] {
  const items = notation === 'form' ? formItems(value) : value;
  if (!Array.isArray(items)) return [`${path} is ${shown(value)}, not a list`];
  return items.flatMap((item, position) => differences(item, element, notation, `${path}[${position}]`));
}

function formItems(value: unknown): unknown[] | undefined {
  if (!isFields(value)) return undefined;
  const keys = Object.keys(value);
  return keys.every((key, position) => key === String(position)) ? Object.values(value) : undefined;
}

function unionDifferences(
  value: unknown,
  members: readonly Type[],
  scope: Scope,
  notation: Notation,
  path: string,
): string[] {
  let best: string[] | undefined;
  for (const type of members) {
    const found = differences(value, { type, scope }, notation, path);
    if (found.length === 0) return [];
    // The member that fails deepest is the one that was meant.
    const isNearer = found.every((difference) => !difference.startsWith(`${path || 'the value'} is `));
    if (best === undefined || (isNearer && isFields(value))) best = found;
  }
  const isScalar = !isFields(value) && !Array.isArray(value);
  return isScalar
    ? [`${path || 'the value'} is ${shown(value)}, which matches none of its ${members.length} types`]
    : (best ?? []);
}

function objectDifferences(
  value: unknown,
  { members, values }: { readonly members: readonly Member[]; readonly values: Type | null },
  scope: Scope,
  notation: Notation,
  path: string,
): string[] {
  if (!isFields(value)) return [`${path || 'the value'} is ${shown(value)}, not an object`];
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const found: string[] = [];
  const known = new Map(members.map((member) => [member.name, member]));
  for (const { name, isOptional, type } of members) {
    if (value[name] !== undefined) found.push(...differences(value[name], { type, scope }, notation, at(name)));
    else if (!isOptional) found.push(`${at(name)} is absent`);
  }
  for (const [name, field] of Object.entries(value)) {
    if (known.has(name)) continue;
    if (values === null) found.push(`${at(name)} is unknown`);
    else found.push(...differences(field, { type: values, scope }, notation, at(name)));
  }
  return found;
}
