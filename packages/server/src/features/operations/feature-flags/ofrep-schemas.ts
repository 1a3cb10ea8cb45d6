import { type TSchema, Type } from 'typebox';
import { ofrepErrorCodes } from './ofrep-failure.ts';

// https://github.com/open-feature/protocol, service/openapi.yaml, version 0.3.0.

const Metadata = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
  title: 'FlagMetadata',
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
    413: described(schema, 'The body is larger than 1 MiB.'),
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
  200: Type.Object({ flags: Type.Array(Type.Union([Success, FlagFailure])) }, { title: 'BulkEvaluation' }),
  304: described(Type.Null(), 'Nothing has changed since the response with this `ETag`.'),
  400: described(Failure, 'The request or its context is not valid.'),
  ...refusals(Failure),
};
