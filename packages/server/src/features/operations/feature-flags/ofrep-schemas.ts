import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import type { ForeignFailure } from '../../../http/error-handler.ts';
import { type AppError, detailSentence } from '../../../lib/error.ts';

/** The error codes of OFREP that the service sends (https://openfeature.dev/specification/types#error-code). */
const ofrepErrorCodes = ['FLAG_NOT_FOUND', 'PARSE_ERROR', 'INVALID_CONTEXT', 'GENERAL'] as const;
type OfrepErrorCode = (typeof ofrepErrorCodes)[number];

/** The service's error codes to OFREP's. All others are `GENERAL`. */
const ofrepCodes: Readonly<Partial<Record<AppError['code'], OfrepErrorCode>>> = {
  'FEATURE_FLAG.NOT_FOUND': 'FLAG_NOT_FOUND',
  'RESOURCE.NOT_FOUND': 'FLAG_NOT_FOUND',
  'FEATURE_FLAG.CONTEXT_INVALID': 'INVALID_CONTEXT',
  'VALIDATION.FAILED': 'INVALID_CONTEXT',
  'REQUEST.MALFORMED': 'PARSE_ERROR',
};

/** Clients append the protocol's path to a base URL, which may end with a slash. */
const protocolPath = /^\/+ofrep(?=[/?]|$)/;
const flagPath = /^\/+ofrep\/v1\/evaluate\/flags\/([^?]*)/;

/**
 * Returns a failure in the format of the OpenFeature Remote Evaluation Protocol (OFREP) for every path below `/ofrep`,
 * unknown ones included, because its clients cannot read another format. A failure of one flag has the flag's key.
 */
export function ofrepFailure(request: FastifyRequest, error: AppError): ForeignFailure | undefined {
  // A request may name the path with its origin (RFC 9112, section 3.2.2).
  const url = (request.raw.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const isRouted = request.routeOptions.url?.startsWith('/ofrep/') === true;
  if (!isRouted && !protocolPath.test(url)) return undefined;
  const key = isRouted ? (request.params as { readonly key?: string }).key : keyIn(url);
  // OFREP does not define 422.
  const status = error.status === 422 ? 400 : error.status;
  return { status, body: { ...(key !== undefined && { key }), ...explain(error, url, key) } };
}

/** Returns the key in a path that no route has; undefined if the path is not that of a flag. */
function keyIn(url: string): string | undefined {
  const key = flagPath.exec(url)?.[1];
  return key === undefined ? undefined : decodeKey(key);
}

function explain({ code, message, details = [] }: AppError, url: string, key: string | undefined) {
  if (code === 'ROUTE.NOT_FOUND' && url.startsWith('//')) {
    return { errorCode: 'GENERAL', errorDetails: `${code}: Remove the slash at the end of the client's base URL.` };
  }
  if (code === 'ROUTE.NOT_FOUND' && key !== undefined) {
    return {
      errorCode: 'FLAG_NOT_FOUND',
      errorDetails: 'There is no feature flag with this key. A key is not empty and has no slash.',
    };
  }
  const known = ofrepCodes[code];
  const sentences = [message, ...details.map(detailSentence)].join(' ');
  if (known !== undefined) return { errorCode: known, errorDetails: sentences };
  return { errorCode: 'GENERAL', errorDetails: `${code}: ${sentences}` };
}

function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// https://github.com/open-feature/protocol, service/openapi.yaml, version 0.3.0.

const Metadata = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
  title: 'FlagMetadata',
  description: 'Further data of a feature flag.',
});

const Success = Type.Object(
  {
    key: Type.String({ description: 'The key of the flag.' }),
    reason: Type.String({
      description: 'The reason that flagd reports: STATIC, TARGETING_MATCH, DEFAULT (no rule matched) or DISABLED.',
    }),
    variant: Type.Optional(Type.String({ description: 'The name of the chosen variant.' })),
    value: Type.Optional(
      Type.Unknown({ description: 'The value of the flag. If it is absent, use the default value in your code.' }),
    ),
    metadata: Type.Optional(Metadata),
  },
  { title: 'FlagEvaluation', description: 'The value of a flag for a tenant.' },
);

const failureFields = {
  errorCode: Type.Enum([...ofrepErrorCodes], {
    description: "OpenFeature's code. `GENERAL` stands for every failure that OFREP does not know.",
  }),
  errorDetails: Type.String({
    description: "What to do. With `GENERAL`, it begins with the service's own code, such as `AUTH.INVALID_API_KEY`.",
  }),
};

const FlagFailure = Type.Object(
  {
    key: Type.String({ description: 'The key of the flag, as the client sent it.' }),
    ...failureFields,
    metadata: Type.Optional(Metadata),
  },
  { title: 'FlagEvaluationFailure' },
);

const Failure = Type.Object(failureFields, { title: 'BulkEvaluationFailure' });

/**
 * The body of an OFREP request. The handler checks `context`, because OFREP requires status 400 where the API responds
 * with 422. Unknown fields are ignored, as OFREP requires.
 */
export const EvaluationRequest = Type.Unsafe<unknown>({
  title: 'EvaluationRequest',
  type: 'object',
  required: ['context'],
  properties: {
    context: { type: 'object', additionalProperties: true, description: 'What the rules of the flags can refer to.' },
  },
  additionalProperties: true,
  description:
    '`context` is an object of at most 16 KiB and 500 fields. The service overwrites `targetingKey` and `tenant_id` with the id of ' +
    "the credential's tenant, and `plan` with the code of its plan.",
  examples: [{ context: {} }, { context: { email: 'ada@example.com', country: 'gb' } }],
});

/** The path parameters of the evaluation of one flag. */
export const FlagParams = Type.Object({ key: Type.String({ description: 'The key of the flag.' }) });

function described<Schema extends object>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** The failures that both evaluations have in common. */
function refusals<Schema extends TSchema>(schema: Schema) {
  return {
    401: described(schema, 'The token or the API key is missing or not valid.'),
    403: described(schema, 'The tenant is not active, or the key may not be used from this address.'),
    405: described(schema, 'The method is not POST.'),
    408: described(schema, 'The body stopped arriving.'),
    413: described(schema, 'The body is larger than 128 KiB.'),
    415: described(schema, 'The body is not JSON.'),
    429: described(schema, 'Too many requests. `Retry-After` contains the number of seconds to wait.'),
    500: described(schema, 'The service failed.'),
    503: described(schema, 'The service is unavailable. Send the request again later.'),
  };
}

/** The responses to the evaluation of one flag. */
export const oneResponse = {
  200: Success,
  400: described(FlagFailure, 'The request or its context is not valid, or the flag cannot be evaluated for it.'),
  404: described(FlagFailure, 'There is no such flag.'),
  414: described(FlagFailure, 'The key is longer than 512 characters.'),
  ...refusals(FlagFailure),
};

/** The responses to the evaluation of all flags. */
export const allResponse = {
  200: Type.Object(
    { flags: Type.Array(Type.Union([Success, FlagFailure])) },
    { title: 'BulkEvaluation', description: 'The values of all feature flags for a tenant.' },
  ),
  304: described(Type.Null(), 'Nothing has changed since the response with this `ETag`.'),
  400: described(Failure, 'The request or its context is not valid.'),
  ...refusals(Failure),
};
