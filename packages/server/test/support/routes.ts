import { newId } from '../../src/lib/ids.ts';
import type { TestApp } from './harness.ts';

/** A JSON schema in the form of the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface MediaType {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  /** Instead of `example`, if there are several. */
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type Content = Readonly<Record<string, MediaType>>;

interface Operation {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A route of the running service, from its OpenAPI document. */
export interface LiveRoute {
  readonly method: RouteMethod;
  /** With parameters in braces: `/api/v1/tenant/products/{id}`. */
  readonly path: string;
  /** `GET /api/v1/tenant/products/{id}`. */
  readonly title: string;
  readonly pathParameters: readonly Parameter[];
  readonly queryParameters: readonly Parameter[];
  readonly body: JsonSchema | undefined;
  /** The example of its body; undefined without one. */
  readonly bodyExample: unknown;
  /** The credentials that the route accepts; none if it is public. */
  readonly security: readonly string[];
  /** The media types of the files that the route accepts. */
  readonly fileTypes: readonly string[];
  /** True if the response is a file or text, without an envelope. */
  readonly answersFile: boolean;
  readonly responses: Operation['responses'];
}

const fileTypes = ['text/csv', 'application/x-ndjson'];
const documentTypes = ['application/pdf', 'text/html', 'text/plain', 'text/yaml', 'application/xml', 'image/png'];

const documentedMethods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Lists every route of the OpenAPI document, so that suites cover new routes automatically. */
export function liveRoutes(app: TestApp): LiveRoute[] {
  const paths = app.http.swagger().paths as Record<string, Partial<Record<string, Operation>>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    documentedMethods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [toRoute(method, path, operation)];
    }),
  );
}

function toRoute(lowerCaseMethod: (typeof documentedMethods)[number], path: string, operation: Operation): LiveRoute {
  const method = lowerCaseMethod.toUpperCase() as RouteMethod;
  const parameters = operation.parameters ?? [];
  return {
    method,
    path,
    title: `${method} ${path}`,
    pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
    queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
    body: operation.requestBody?.content['application/json']?.schema,
    bodyExample: exampleOf(operation.requestBody?.content['application/json']),
    security: (operation.security ?? []).flatMap((scheme) => Object.keys(scheme)),
    fileTypes: Object.keys(operation.requestBody?.content ?? {}).filter((type) => fileTypes.includes(type)),
    answersFile: [...fileTypes, ...documentTypes].some((type) => type in (operation.responses['200']?.content ?? {})),
    responses: operation.responses,
  };
}

function exampleOf(body: MediaType | undefined): unknown {
  return body?.example ?? Object.values(body?.examples ?? {})[0]?.value;
}

/** Returns the fields that a body must have. Of some fields one is required: then that is the first of them. */
export function requiredFields(body: JsonSchema | undefined): readonly string[] {
  const { required = [], allOf = [] } = (body ?? {}) as {
    readonly required?: readonly string[];
    readonly allOf?: readonly { readonly anyOf?: readonly { readonly required?: readonly string[] }[] }[];
  };
  return [...required, ...allOf.flatMap(({ anyOf }) => anyOf?.[0]?.required ?? [])];
}

/** Normalises `/products/{id}` and `/products/:id` to the same text, without parameter names. */
export function withoutNames(path: string): string {
  return path.replace(/\{[^}]+\}|:\w+(?:\|:\w+)*/g, '{}');
}

/**
 * Lists the routes of the router, including hidden ones, without HEAD and preflights: `GET /api/v1/tenant/products/{}`.
 * It parses the tree that Fastify prints, because Fastify has no other complete list.
 */
export function registeredRoutes(app: TestApp): string[] {
  const branch: string[] = [];
  return app.http
    .printRoutes({ commonPrefix: true })
    .split('\n')
    .flatMap((line) => {
      const match = /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
      if (match === null) return [];
      const [, indent = '', segment = '', methods = ''] = match;
      branch.length = indent.length / 4;
      branch.push(segment.replace(/^\(empty root node\)$/, ''));
      const path = withoutNames(branch.join(''));
      return methods
        .split(', ')
        .flatMap((method) => (['', 'HEAD', 'OPTIONS'].includes(method) ? [] : [`${method} ${path}`]));
    });
}

/** Replaces the parameters of a path by percent-encoded values. Throws if a value is missing. */
export function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{([^}]+)\}/g, (_match, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path} has the parameter {${name}}: add a value for it to this suite.`);
    return encodeURIComponent(value);
  });
}

/** Returns a value for every parameter of a path, each of which names nothing that exists. */
export function unknownValues(): Readonly<Record<string, string>> {
  const names = [
    'tenantId',
    'id',
    'activation_id',
    'creditNoteId',
    'key',
    'connectionId',
    'offer_id',
    'event_id',
    'sale_id',
    'note_id',
  ];
  const ofComparisons = ['comparison_id', 'difference_id'];
  const ofReleases = ['release_id', 'artifact_id', 'product'];
  const ids = Object.fromEntries([...names, ...ofComparisons, ...ofReleases].map((name) => [name, newId()]));
  const texts = { handle: 'nobody', email: 'nobody@example.com', type: 'license.issued' };
  return { ...ids, ...texts, channel: 'stable', file: 'latest.yml', file_name: 'Editor.exe' };
}
