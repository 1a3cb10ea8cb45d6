import { isObject, type JsonObject } from '../lib/json-object.ts';
import type { Tag } from './openapi-tags.ts';

/** Lists the references in a value: `#/components/schemas/License`. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  const own = typeof value['$ref'] === 'string' ? [value['$ref']] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

function componentAt(components: JsonObject, reference: string): readonly [kind: string, name: string, part: unknown] {
  const [kind = '', name = ''] = reference.replace('#/components/', '').split('/');
  return [kind, name, (components[kind] as JsonObject | undefined)?.[name]];
}

/** Returns the components that a value refers to, directly or through others, in the order of the document. */
function usedComponents(components: JsonObject, value: unknown): JsonObject {
  const used = new Set<string>();
  const add = (references: readonly string[]) => {
    for (const reference of references) {
      if (used.has(reference)) continue;
      used.add(reference);
      add(referencesIn(componentAt(components, reference)[2]));
    }
  };
  add(referencesIn(value));
  const kept = Object.entries(components).map(([kind, parts]) => {
    const ofKind = Object.entries(parts as JsonObject);
    return [kind, Object.fromEntries(ofKind.filter(([name]) => used.has(`#/components/${kind}/${name}`)))] as const;
  });
  return Object.fromEntries(kept.filter(([, parts]) => Object.keys(parts).length > 0));
}

function schemesOf(operations: readonly JsonObject[]): Set<string> {
  const security = operations.flatMap((operation) => (operation['security'] ?? []) as JsonObject[]);
  return new Set(security.flatMap((scheme) => Object.keys(scheme)));
}

/**
 * Returns the document of the operations with a tag, with the components and the kinds of credentials that they use, and
 * nothing else. Generators then make a client that fits into shipped software.
 */
export function documentOfTag(document: JsonObject, tag: Tag): JsonObject {
  const { paths, components, tags, info, openapi, servers } = document;
  const hasTag = (operation: unknown) => isObject(operation) && (operation['tags'] as string[]).includes(tag);
  const kept = Object.entries(paths as JsonObject).flatMap(([path, item]) => {
    const operations = Object.entries(item as JsonObject).filter(([, operation]) => hasTag(operation));
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)] as const];
  });
  const schemes = schemesOf(kept.flatMap(([, item]) => Object.values(item) as JsonObject[]));
  const { securitySchemes = {} } = components as JsonObject;
  const usedSchemes = Object.entries(securitySchemes as JsonObject).filter(([name]) => schemes.has(name));
  return {
    openapi,
    info: { ...(info as JsonObject), title: `${(info as JsonObject)['title']}: ${tag} API` },
    servers,
    tags: (tags as JsonObject[]).filter(({ name }) => name === tag),
    paths: Object.fromEntries(kept),
    components: {
      securitySchemes: Object.fromEntries(usedSchemes),
      ...usedComponents(components as JsonObject, kept),
    },
  };
}
