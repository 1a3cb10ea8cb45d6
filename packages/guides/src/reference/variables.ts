import type { Operation } from './document.ts';
import { snake } from './literals.ts';

/** A value that a request needs and that a reader has to look up. */
export interface Variable {
  /** In snake_case; each language writes it in its own way. */
  readonly name: string;
  readonly source: Source;
}

type Source =
  | { readonly environment: string }
  /** `field` of the first item of a list. */
  | { readonly list: Operation; readonly path: readonly PathPart[]; readonly field: string };

/** A piece of a path: text, or the value of a variable. */
export type PathPart = string | Variable;

/** Where a sample of an operation gets its values from. */
export interface Located {
  /** In the order in which a program needs them. */
  readonly variables: readonly Variable[];
  readonly path: readonly PathPart[];
  /** Of the body: the variable of each field that names a resource. */
  readonly fields: ReadonlyMap<string, Variable>;
}

const activations = '/api/v1/integration/licenses/{key}/activations';
/** The lists that have another address than the resource. */
const lists: Readonly<Record<string, string>> = {
  [activations]: `post ${activations}/list`,
  '/api/v1/admin/billing/invoices': 'get /api/v1/admin/invoices',
};
const environment: Readonly<Record<string, string>> = { tenant_id: 'LICENSING_TENANT_ID', handle: 'PORTAL_HANDLE' };
/** The lists of what fields of bodies name. */
const listsOfFields: Readonly<Record<string, string>> = {
  product_id: 'get /api/v1/tenant/products',
  policy_id: 'get /api/v1/tenant/policies',
  license_id: 'get /api/v1/tenant/licenses',
  tenant_id: 'get /api/v1/admin/tenants',
};

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/ches$/, 'ch').replace(/s$/, '');

/** Names a parameter after the resource, because `id` alone says nothing: `license_id`. */
function nameOf(parameter: string, resource: string): string {
  const isGeneral = ['id', 'key', 'type'].includes(parameter);
  return isGeneral ? `${singular(resource).replaceAll('-', '_')}_${parameter}` : snake(parameter);
}

/** Returns the function that says where the values of an operation come from. */
export function locator(operations: readonly Operation[]): (operation: Operation, body: unknown) => Located {
  const byRoute = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));

  const sourceOf = (name: string, route: string, field: string): Source => {
    const list = byRoute.get(route);
    return list === undefined
      ? { environment: environment[name] ?? name.toUpperCase() }
      : { list, path: pathOf(list.path), field };
  };
  const pathOf = (path: string): PathPart[] => {
    const segments = path.split('/');
    return segments.flatMap((segment, at): PathPart[] => {
      const slash = at === 0 ? '' : '/';
      const parameter = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (parameter === undefined) return [slash + segment];
      const collection = segments.slice(0, at).join('/');
      const name = nameOf(parameter, segments[at - 1] ?? '');
      const field = parameter.endsWith('id') ? 'id' : parameter;
      return [slash, { name, source: sourceOf(name, lists[collection] ?? `get ${collection}`, field) }];
    });
  };
  const fieldsOf = (body: unknown): Map<string, Variable> => {
    const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
    return new Map(
      names.flatMap((name) => {
        const route = listsOfFields[name];
        return route === undefined ? [] : [[name, { name, source: sourceOf(name, route, 'id') }] as const];
      }),
    );
  };
  return ({ path }, body) => {
    const parts = pathOf(path);
    const fields = fieldsOf(body);
    return { path: parts, fields, variables: inOrder([...parts, ...fields.values()]) };
  };
}

/** Returns the variables of the parts without duplicates. The list of a variable may need others, which come first. */
function inOrder(parts: readonly PathPart[]): Variable[] {
  const all = parts.flatMap((part): Variable[] => {
    if (typeof part === 'string') return [];
    return 'list' in part.source ? [...inOrder(part.source.path), part] : [part];
  });
  return all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at);
}

/** Returns a body in which the marks of variables stand for their values; `writeMarks` replaces them. */
export function markedBody(body: unknown, fields: Located['fields']): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, fields.has(name) ? `@{${name}}` : value]),
  );
}

/** Replaces each mark in a literal, with its quotes. */
export function writeMarks(literal: string, write: (name: string) => string): string {
  return literal.replace(/"@\{(\w+)\}"/g, (_all, name: string) => write(name));
}
