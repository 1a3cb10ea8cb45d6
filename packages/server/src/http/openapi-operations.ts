import type { FastifySchema } from 'fastify';
import { failureName, isOfEveryOperation, otherFailure } from './openapi-failures.ts';

/** The parts of an OpenAPI operation that are completed after @fastify/swagger has collected the routes. */
interface Operation {
  security?: Record<string, string[]>[];
  parameters?: { readonly in?: string; readonly name?: string }[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: BodySchema }> };
  responses?: Record<string, object>;
  /** The failures of the route, added by `withFailures`; removed from the document. */
  [failuresKey]?: Failures;
}

interface BodySchema {
  readonly type?: string;
  readonly required?: readonly string[];
}

/** @fastify/swagger copies extensions from the schema of a route to its operation. */
const failuresKey = 'x-failures';

/** The statuses of failures with the codes that only the operation declares. */
type Failures = Readonly<Record<string, readonly string[]>>;

/** Replaces the failure responses of a route's schema by the statuses with which the route can fail. */
export function withFailures(schema: FastifySchema, failures: ReadonlyMap<number, readonly string[]>): FastifySchema {
  const { '4xx': clientError, '5xx': serverError, ...response } = (schema.response ?? {}) as Record<string, unknown>;
  // A route that follows a standard lists its own failures.
  if (clientError === undefined && serverError === undefined) return schema;
  const listed = [...failures].filter(([status]) => !isOfEveryOperation(status));
  return { ...schema, response, [failuresKey]: Object.fromEntries(listed) } as FastifySchema;
}

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
  ['/api/v1/auth/me', 'bearer'],
  ['/api/v1/auth/logout', 'bearer'],
  ['/api/v1/auth/two-factor', 'bearer'],
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

function completeResponses(operation: Operation, headers: { readonly headers?: object }): void {
  const { responses = {}, [failuresKey]: failures } = operation;
  for (const [status, response] of Object.entries(responses)) {
    responses[status] = { description: 'Success.', ...success(response), ...headers };
  }
  for (const [status, codes] of Object.entries(failures ?? {})) {
    const reference = { $ref: `#/components/responses/${failureName(Number(status))}` };
    const description = codes.map((code) => `\`${code}\``).join(', ');
    responses[status] = codes.length === 0 ? reference : { ...reference, description };
  }
  if (failures !== undefined) responses['default'] = otherFailure;
  operation.responses = responses;
  delete operation[failuresKey];
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
 * Adds to every operation its security, missing path parameters and the failures of its route. Modifies `document` in
 * place and returns it.
 */
export function documentOperations<Document extends { paths?: object }>(document: Document): Document {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = (item as Partial<Record<string, Operation>>)[method];
      if (operation === undefined) continue;
      operation.security = securityOf(path);
      addMissingParameters(operation, path);
      completeBody(operation);
      completeResponses(operation, takesIdempotencyKey(operation) ? { headers: replayHeader } : {});
    }
  }
  return document;
}
