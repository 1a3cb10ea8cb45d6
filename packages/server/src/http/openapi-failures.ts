import { errorStatus } from '../lib/error-codes.ts';

interface Failure {
  readonly name: string;
  readonly description: string;
}

/** The component and the description of a failure, by status. */
const failures: Readonly<Record<number, Failure>> = {
  400: { name: 'BadRequest', description: 'The request is malformed.' },
  401: { name: 'Unauthorized', description: 'The credentials are missing or not valid.' },
  402: { name: 'PaymentRequired', description: 'A payment was declined. Nothing has changed.' },
  403: { name: 'Forbidden', description: 'The caller is known, but the request is not allowed.' },
  404: { name: 'NotFound', description: 'There is no such resource.' },
  408: { name: 'RequestTimeout', description: 'The body took too long to arrive.' },
  409: { name: 'Conflict', description: 'The state of the resource, or another request, does not permit the request.' },
  413: { name: 'ContentTooLarge', description: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', description: 'The route does not take a body of this type.' },
  422: { name: 'UnprocessableContent', description: 'The request is understood, but not valid: see `error.details`.' },
  429: { name: 'TooManyRequests', description: 'Too many requests. Wait as long as `Retry-After` says.' },
  500: { name: 'InternalError', description: 'The service failed unexpectedly.' },
  503: { name: 'ServiceUnavailable', description: 'The service is unavailable. Send the request again later.' },
};

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
  const codesOf = (status: number) =>
    Object.entries(errorStatus)
      .filter(([, ofCode]) => ofCode === status)
      .map(([code]) => `\`${code}\``);
  return Object.fromEntries(
    Object.entries(failures).map(([status, { name, description }]) => [
      name,
      {
        description: `${description} Codes: ${codesOf(Number(status)).join(', ')}.`,
        headers: status === '429' || status === '503' ? { ...headers, ...retryAfter } : headers,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}
