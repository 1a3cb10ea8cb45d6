import { Type } from 'typebox';

// https://github.com/open-feature/protocol, service/openapi.yaml, version 0.3.0.

const Metadata = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]));

const Success = Type.Object({
  key: Type.String(),
  reason: Type.String({
    description: 'The reason that flagd reports: STATIC, TARGETING_MATCH, DEFAULT (no rule matched) or DISABLED.',
  }),
  variant: Type.Optional(Type.String()),
  value: Type.Optional(
    Type.Unknown({ description: 'The value of the flag. If it is absent, use the default value in your code.' }),
  ),
  metadata: Type.Optional(Metadata),
});

const FlagFailure = Type.Object({
  key: Type.String(),
  errorCode: Type.String({ description: 'PARSE_ERROR, INVALID_CONTEXT, GENERAL or FLAG_NOT_FOUND.' }),
  errorDetails: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
});

const Failure = Type.Object({ errorCode: Type.String(), errorDetails: Type.Optional(Type.String()) });

/**
 * The body of an OFREP request. The handler checks `context`, because OFREP requires status 400 where the API responds
 * with 422. Unknown fields are ignored, as OFREP requires.
 */
export const EvaluationRequest = Type.Unsafe<unknown>({
  type: 'object',
  required: ['context'],
  properties: { context: { type: 'object', additionalProperties: true } },
  additionalProperties: true,
  description:
    '`context` is an object of at most 16 KiB. The service overwrites `targetingKey` and `tenant_id` with the id of ' +
    "the credential's tenant, and `plan` with the code of its plan.",
  examples: [{ context: {} }, { context: { email: 'ada@example.com', country: 'gb' } }],
});

/** The path parameters of the evaluation of one flag. */
export const FlagParams = Type.Object({ key: Type.String() });

function described<Schema extends object>(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const refusals = {
  401: described(Failure, 'The token or the API key is missing or not valid.'),
  403: described(Failure, 'The tenant is not active, or the key may not be used from this address.'),
  413: described(Failure, 'The body is larger than 1 MiB.'),
  415: described(Failure, 'The body is not JSON.'),
  429: described(Failure, 'Too many requests. `Retry-After` contains the number of seconds to wait.'),
  500: described(Failure, 'The service failed.'),
  503: described(Failure, 'The service is unavailable. Send the request again later.'),
};

/** The responses to the evaluation of one flag. */
export const oneResponse = {
  200: Success,
  400: described(FlagFailure, 'The request or its context is not valid, or the flag cannot be evaluated for it.'),
  404: described(FlagFailure, 'There is no such flag.'),
  ...refusals,
};

/** The responses to the evaluation of all flags. */
export const allResponse = {
  200: Type.Object({ flags: Type.Array(Type.Union([Success, FlagFailure])) }),
  304: described(Type.Null(), 'Nothing has changed since the response with this `ETag`.'),
  400: described(Failure, 'The request or its context is not valid.'),
  ...refusals,
};
