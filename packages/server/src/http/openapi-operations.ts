/** The parts of an OpenAPI operation that are completed after @fastify/swagger has collected the routes. */
interface Operation {
  security?: Record<string, string[]>[];
  parameters?: { readonly in?: string; readonly name?: string }[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: BodySchema }> };
  responses?: Record<string, object>;
}

interface BodySchema {
  readonly type?: string;
  readonly required?: readonly string[];
}

type Reference = { readonly $ref: string };

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The credentials that a path accepts, by the first matching prefix. A path without a match is public. */
const securityByPrefix: readonly (readonly [prefix: string, ...schemes: string[]])[] = [
  ['/ofrep/', 'apiKey', 'bearer'],
  ['/api/v1/integration', 'apiKey'],
  ['/api/v1/tenant/', 'bearer'],
  ['/api/v1/account', 'bearer'],
  ['/api/v1/auth/email/', 'bearer'],
  ['/api/v1/onboarding', 'bearer'],
  ['/api/v1/billing/', 'bearer'],
  ['/api/v1/admin', 'bearer'],
  ['/metrics', 'metricsToken'],
  ['/api/auth/me', 'bearer'],
  ['/api/auth/logout', 'bearer'],
  ['/api/auth/two-factor', 'bearer'],
];

function securityOf(path: string): Record<string, string[]>[] {
  const [, ...schemes] = securityByPrefix.find(([prefix]) => path.startsWith(prefix)) ?? [''];
  return schemes.map((scheme) => ({ [scheme]: [] }));
}

function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
}

/** Adds the path parameters of surfaces, such as `{tenantId}`, which no feature's schema declares. */
function addMissingParameters(operation: Operation, path: string): void {
  const declared = new Set(
    (operation.parameters ?? []).filter(({ in: place }) => place === 'path').map(({ name }) => name),
  );
  const missing = pathParameters(path).filter((name) => !declared.has(name));
  if (missing.length === 0) return;
  const added = missing.map((name) => ({
    in: 'path',
    name,
    required: true,
    schema: name.endsWith('Id') ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }));
  operation.parameters = [...added, ...(operation.parameters ?? [])];
}

const replayHeader = { 'Idempotency-Replayed': { $ref: '#/components/headers/IdempotencyReplayed' } };

function takesIdempotencyKey({ parameters = [] }: Operation): boolean {
  return parameters.some(({ in: place, name }) => place === 'header' && name === 'Idempotency-Key');
}

function completeResponses(operation: Operation, headers: Readonly<Record<string, Reference>>): void {
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    if (operation.responses === undefined) return;
    if (status === '4XX') operation.responses[status] = { $ref: '#/components/responses/ClientError' };
    else if (status === '5XX') operation.responses[status] = { $ref: '#/components/responses/ServerError' };
    else operation.responses[status] = { description: 'Success.', ...success(response), headers: { ...headers } };
  }
}

/** Removes the description that @fastify/swagger adds to a schema without one. */
function success(response: object): object {
  const { description, ...rest } = response as { readonly description?: string };
  return description === 'Default Response' ? rest : response;
}

/** A body may be omitted if it is an object without required fields. */
function completeBody(operation: Operation): void {
  const { requestBody } = operation;
  if (requestBody === undefined) return;
  const schemas = Object.values(requestBody.content ?? {}).map(({ schema }) => schema);
  requestBody.required = schemas.some((schema) => schema?.type === 'string' || (schema?.required?.length ?? 0) > 0);
}

/**
 * Adds to every operation its security, missing path parameters, and the response headers and failures that all
 * routes share. Modifies `document` in place and returns it.
 */
export function documentOperations<Document extends { paths?: object }>(
  document: Document,
  headers: Readonly<Record<string, Reference>>,
): Document {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = (item as Partial<Record<string, Operation>>)[method];
      if (operation === undefined) continue;
      operation.security = securityOf(path);
      addMissingParameters(operation, path);
      completeBody(operation);
      completeResponses(operation, takesIdempotencyKey(operation) ? { ...headers, ...replayHeader } : headers);
    }
  }
  return document;
}
