interface Failure {
  readonly name: string;
  readonly description: string;
}

/** The component and the description of the failures that an operation lists, by status. */
const failures: Readonly<Record<number, Failure>> = {
  401: { name: 'Unauthorized', description: 'The credentials are missing or not valid.' },
  402: { name: 'PaymentRequired', description: 'A payment was declined. Nothing has changed.' },
  403: { name: 'Forbidden', description: 'The caller is known, but the request is not allowed.' },
  404: { name: 'NotFound', description: 'There is no such resource.' },
  409: { name: 'Conflict', description: 'The state of the resource, or another request, does not permit the request.' },
  422: { name: 'Invalid', description: 'The request is well-formed, but not valid: see `error.details`.' },
  429: { name: 'TooManyRequests', description: 'Too many requests. Wait as long as `Retry-After` says.' },
};

/**
 * The failures that every operation has, as one response: of HTTP itself, and of the service. Listed per operation they
 * would be a quarter of the document.
 */
const otherFailures: Failure = {
  name: 'Failure',
  description:
    'Any other failure, which does not depend on the operation: the request is malformed (400), too slow (408), too ' +
    'large (413) or of the wrong media type (415); the service failed (500) or is unavailable (503, with ' +
    '`Retry-After`).',
};

/** The statuses that `otherFailures` covers. */
const otherStatuses: readonly number[] = [400, 408, 413, 415, 500, 503];

/** Returns true for a status that every operation can have, so that none lists it. */
export function isOfEveryOperation(status: number): boolean {
  return otherStatuses.includes(status);
}

/** The response `default` of every operation. */
export const otherFailure = { $ref: `#/components/responses/${otherFailures.name}` };

/** Returns the name of the response component of a status. Throws for a status that no operation can have. */
export function failureName(status: number): string {
  const failure = failures[status];
  if (failure === undefined) throw new Error(`Add the failure ${status} to openapi-failures.ts.`);
  return failure.name;
}

type Headers = Readonly<Record<string, object>>;

const retryAfter = {
  'Retry-After': { description: 'The number of seconds to wait.', schema: { type: 'integer', minimum: 0 } },
};

/** Returns the response components of all failures. */
export function failureResponses(headers: Headers) {
  return Object.fromEntries(
    [...Object.entries(failures), ['default', otherFailures] as const].map(([status, { name, description }]) => [
      name,
      {
        description,
        headers: status === '429' || status === 'default' ? { ...headers, ...retryAfter } : headers,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}
