import { resolve, type Scoped } from './declarations.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Adds the fields that a type requires and a value lacks: null if the type permits it, else an empty value. */
export function fill(value: unknown, scoped: Scoped): unknown {
  const resolved = resolve(scoped);
  switch (resolved.type.kind) {
    case 'reference':
      return fill(value, resolved);
    case 'list': {
      const element = { type: resolved.type.element, scope: resolved.scope };
      return Array.isArray(value) ? value.map((item) => fill(item, element)) : (value ?? []);
    }
    case 'union':
      return fillUnion(
        value,
        resolved.type.members.map((member) => ({ type: member, scope: resolved.scope })),
      );
    case 'object':
      return fillObject(value, resolved);
    default:
      return value === undefined ? emptyOf(resolved) : value;
  }
}

function emptyOf({ type }: Scoped): unknown {
  if (type.kind === 'literal') return type.value;
  const empty: Readonly<Record<string, unknown>> = { string: '', number: 0, boolean: false };
  return empty[type.kind] ?? null;
}

function fillUnion(value: unknown, members: readonly Scoped[]): unknown {
  if (value === undefined) {
    const hasNull = members.some(({ type }) => type.kind === 'null');
    return hasNull || members[0] === undefined ? null : fill(undefined, members[0]);
  }
  if (typeof value !== 'object' || value === null) return value;
  const isOfKind = (member: Scoped) => ['reference', 'object', 'list'].includes(member.type.kind);
  const member = members.find(isOfKind);
  return member === undefined ? value : fill(value, member);
}

function fillObject(value: unknown, { type, scope }: Scoped): unknown {
  if (type.kind !== 'object' || (value !== undefined && (typeof value !== 'object' || value === null))) return value;
  const filled: Record<string, unknown> = { ...(value as Fields | undefined) };
  for (const { name, isOptional, type: member } of type.members) {
    const own = filled[name];
    if (own !== undefined || !isOptional) filled[name] = fill(own, { type: member, scope });
  }
  return filled;
}
