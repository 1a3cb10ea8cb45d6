import type { FastifySchema } from 'fastify';
import { isCodeOfAnyRoute } from './declared-failures.ts';

/** The parts of an OpenAPI operation that are completed after @fastify/swagger has collected the routes. */
interface Operation {
  parameters?: { readonly in?: string; readonly name?: string }[];
  requestBody?: { required?: boolean; content?: Record<string, { schema?: BodySchema }> };
  responses?: Record<string, object>;
  /** The failures of the route, added by `withFailures`; removed from the document. */
  [failuresKey]?: Failures;
}

interface Failure {
  readonly name: string;
  readonly description: string;
}

/** The response component of each status. An operation that can have other codes than the named one lists them. */
const failures: Readonly<Record<string, Failure>> = {
  400: { name: 'BadRequest', description: 'The request is malformed: `REQUEST.MALFORMED`.' },
  401: { name: 'Unauthorized', description: 'The credentials are missing or not valid.' },
  402: { name: 'PaymentRequired', description: 'A payment was declined. Nothing has changed.' },
  403: { name: 'Forbidden', description: 'The caller is known, but the request is not allowed.' },
  404: { name: 'NotFound', description: 'There is no such resource.' },
  408: { name: 'RequestTimeout', description: 'The body stopped arriving: `REQUEST.TIMEOUT`.' },
  409: { name: 'Conflict', description: 'The state of the resource, or another request, does not permit the request.' },
  413: { name: 'ContentTooLarge', description: 'The body is too large: `REQUEST.TOO_LARGE`.' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body has another media type: `REQUEST.UNSUPPORTED_MEDIA_TYPE`.',
  },
  422: {
    name: 'Invalid',
    description: 'The request is well-formed, but not valid, see `error.details`: `VALIDATION.FAILED`.',
  },
  429: { name: 'TooManyRequests', description: 'Too many requests. Wait as long as `Retry-After` says.' },
  500: { name: 'InternalError', description: 'The service failed: `INTERNAL.ERROR`.' },
  503: {
    name: 'Unavailable',
    description: 'The service is unavailable. Wait as long as `Retry-After` says: `SERVICE.UNAVAILABLE`.',
  },
};

const retryAfter = {
  'Retry-After': { description: 'The number of seconds to wait.', schema: { type: 'integer', minimum: 0 } },
};

/** Returns the response components of all failures. */
export function failureResponses(headers: Readonly<Record<string, object>>) {
  return Object.fromEntries(
    Object.entries(failures).map(([status, { name, description }]) => [
      name,
      {
        description,
        headers: status === '429' || status === '503' ? { ...headers, ...retryAfter } : headers,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

/** Returns the response of an operation that fails with these codes. */
function failureResponse(status: string, codes: readonly string[]): object {
  const failure = failures[status];
  if (failure === undefined) throw new Error(`Add the failure ${status} to openapi-operations.ts.`);
  const reference = { $ref: `#/components/responses/${failure.name}` };
  if (codes.every(isCodeOfAnyRoute)) return reference;
  return { ...reference, description: codes.map((code) => `\`${code}\``).join(', ') };
}

interface BodySchema {
  readonly type?: string;
  readonly required?: readonly string[];
}

/** @fastify/swagger copies extensions from the schema of a route to its operation. */
const failuresKey = 'x-failures';

/** The statuses of failures with their codes. */
type Failures = Readonly<Record<string, readonly string[]>>;

/** Replaces the failure responses of a route's schema by the statuses with which the route can fail. */
export function withFailures(schema: FastifySchema, failing: ReadonlyMap<number, readonly string[]>): FastifySchema {
  const { '4xx': clientError, '5xx': serverError, ...response } = (schema.response ?? {}) as Record<string, unknown>;
  // A route that follows a standard lists its own failures.
  if (clientError === undefined && serverError === undefined) return schema;
  return { ...schema, response, [failuresKey]: Object.fromEntries(failing) } as FastifySchema;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

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
  const { responses = {}, [failuresKey]: failing } = operation;
  for (const [status, response] of Object.entries(responses)) {
    responses[status] = { description: 'Success.', ...success(response), ...headers };
  }
  for (const [status, codes] of Object.entries(failing ?? {})) responses[status] = failureResponse(status, codes);
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
 * Adds to every operation missing path parameters and the failures of its route. Modifies `document` in
 * place and returns it.
 */
export function documentOperations<Document extends { paths?: object }>(document: Document): Document {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = (item as Partial<Record<string, Operation>>)[method];
      if (operation === undefined) continue;
      addMissingParameters(operation, path);
      completeBody(operation);
      completeResponses(operation, takesIdempotencyKey(operation) ? { headers: replayHeader } : {});
    }
  }
  return document;
}
