/** A JSON Schema of the document, with the keywords that the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The meaning of each value of `enum`. */
  readonly 'x-enumDescriptions'?: Readonly<Record<string, string>>;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value?: unknown }>>;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Media>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

/** The operations of a path by their method. */
type PathItem = { readonly [Method in (typeof methods)[number]]?: OperationObject };

/** The OpenAPI document, as `openapi.json` has it. */
export interface OpenApiDocument {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  /** The parts of the API, each with its tags. */
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  /** The credentials of operations that declare none of their own. */
  readonly security?: OperationObject['security'];
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
    readonly schemas?: Readonly<Record<string, Schema>>;
  };
}

/** One body of a request or response. */
export interface Body {
  readonly mediaType: string;
  readonly schema: Schema | undefined;
  readonly example: unknown;
}

/** A response of an operation. */
export interface OperationResponse {
  readonly status: string;
  readonly description: string;
  readonly bodies: readonly Body[];
}

/** An operation with its references resolved, except those of schemas. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly Body[];
  readonly isBodyRequired: boolean;
  readonly responses: readonly OperationResponse[];
  /** The names of the alternative security schemes; empty: no credentials. */
  readonly credentials: readonly string[];
  /** The same operation of platform admins on one tenant, if there is one. */
  readonly adminTwin: { readonly id: string; readonly path: string } | null;
}

/** The methods of operations. */
export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
const adminPrefix = /^\/api\/v1\/admin\/tenants\/\{[^}]+\}\//;

/** Returns what a local reference names. Throws if the document does not contain it. */
function resolveReference<Target>(document: OpenApiDocument, reference: string): Target {
  let found: unknown = document;
  for (const name of reference.replace(/^#\//, '').split('/')) {
    found = (found as Record<string, unknown> | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  if (found === undefined) throw new Error(`openapi.json has nothing at ${reference}.`);
  return found as Target;
}

/** Returns a schema without a reference at its top, and the name of the component that it was. */
export function resolveSchema(document: OpenApiDocument, schema: Schema): { schema: Schema; name: string | null } {
  if (schema.$ref === undefined) return { schema, name: null };
  const { $ref, ...own } = schema;
  const resolved = resolveSchema(document, resolveReference<Schema>(document, $ref));
  return { schema: { ...resolved.schema, ...own }, name: $ref.split('/').at(-1) ?? null };
}

function bodiesOf(content: Readonly<Record<string, Media>> = {}): Body[] {
  return Object.entries(content).map(([mediaType, { schema, example, examples }]) => ({
    mediaType,
    schema,
    example: example ?? Object.values(examples ?? {})[0]?.value,
  }));
}

/** Returns every operation. Those of admins on one tenant are folded into the tenant's own operation. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [toOperation(document, { path, method, operation })];
    }),
  );
  const keyOf = (method: string, path: string) => `${method} ${path.replace(/\{[^}]+\}/g, '{}')}`;
  const tenantPathOf = ({ method, path }: Operation) => keyOf(method, path.replace(adminPrefix, '/api/v1/tenant/'));
  const own = new Set(all.filter(({ path }) => !adminPrefix.test(path)).map(({ method, path }) => keyOf(method, path)));
  const isTwin = (operation: Operation) => adminPrefix.test(operation.path) && own.has(tenantPathOf(operation));
  const twins = new Map(all.filter(isTwin).map((operation) => [tenantPathOf(operation), operation]));
  return all
    .filter((operation) => !isTwin(operation))
    .map((operation) => {
      const twin = twins.get(keyOf(operation.method, operation.path));
      return twin === undefined ? operation : { ...operation, adminTwin: { id: twin.id, path: twin.path } };
    });
}

interface Located {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

function toOperation(document: OpenApiDocument, { path, method, operation }: Located): Operation {
  const { operationId, summary, description = '', tags = [], parameters = [], requestBody, responses } = operation;
  const resolved = Object.entries(responses).map(([status, { $ref, ...own }]) => ({
    status,
    response: $ref === undefined ? own : { ...resolveReference<Response>(document, $ref), ...own },
  }));
  return {
    id: operationId,
    method,
    path,
    tag: tags[0] ?? '',
    title: summary ?? operationId,
    description,
    parameters,
    bodies: bodiesOf(requestBody?.content),
    isBodyRequired: requestBody?.required ?? false,
    responses: resolved.map(({ status, response }) => ({
      status,
      description: response.description ?? '',
      bodies: bodiesOf(response.content),
    })),
    credentials: (operation.security ?? document.security ?? []).flatMap((scheme) => Object.keys(scheme)),
    adminTwin: null,
  };
}
