import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { type ErrorCode, errorStatus } from '../lib/error-codes.ts';

/** The version of the API, sent in `X-Service-API-Version` and in every envelope. */
export const apiVersion = '1';

const metaFields = {
  request_id: Type.String({
    description: 'Identifies the request in logs. Send it to support.',
    examples: ['018f2f6e-8c1a-7c3e-9b7a-2f4d5e6a7b8c'],
  }),
  api_version: Type.Literal(apiVersion),
};
const Meta = Type.Object(metaFields, { title: 'Meta', description: 'Data about the response.' });

const PageMeta = Type.Object(
  {
    ...metaFields,
    next_cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as `cursor` to get the next page. Null on the last page.',
      examples: [null],
    }),
  },
  { title: 'PageMeta', description: 'Data about the response, and the cursor of the next page.' },
);

const CountedPageMeta = Type.Object(
  {
    ...PageMeta.properties,
    total: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The number of rows without a filter; null if the list is filtered.',
      examples: [53],
    }),
  },
  { title: 'CountedPageMeta', description: 'Data about the response, the cursor of the next page, and the count.' },
);

/** Returns the response schema of one resource: `{ data, meta }`. */
export function Envelope<Data extends TSchema>(data: Data) {
  return Type.Object({ data, meta: Meta });
}

/** Returns the response schema of a list: `data` is an array and `meta.next_cursor` a string or null. */
export function PageEnvelope<Item extends TSchema>(item: Item) {
  return Type.Object({
    data: Type.Array(item),
    meta: PageMeta,
  });
}

/** Does what `PageEnvelope` does, with the number of all rows in `meta.total`. */
export function CountedPageEnvelope<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item), meta: CountedPageMeta });
}

/** The response schema of a deletion. */
export const DeletedEnvelope = Envelope(
  Type.Object(
    { deleted: Type.Literal(true), id: Type.String({ examples: ['019a9b1c-8e22-7f60-b1d7-93a4c5e6f708'] }) },
    { title: 'Deletion', description: 'The resource was deleted.' },
  ),
);

/** One invalid field. Only file uploads set `row`. */
const Problem = Type.Object(
  {
    row: Type.Optional(Type.Integer({ description: 'The row of an imported file, starting at 1; 0 is the header.' })),
    field: Type.String({
      description: 'The field as a dotted path.',
      examples: ['name', 'policy.max_activations'],
    }),
    message: Type.String({ description: 'What the field must be, for people.' }),
  },
  { title: 'ErrorDetail', description: 'One invalid field of a request.' },
);

const Code = Type.Unsafe<ErrorCode>({
  type: 'string',
  title: 'ErrorCode',
  enum: Object.keys(errorStatus),
  description:
    'The reason of a failure; `/docs/errors/` explains each. Programs may depend on it. Later versions add codes: accept unknown ones.',
});

/** The response schema of every failure. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      code: Code,
      message: Type.String({ description: 'What happened and what to do next, for people. It may change.' }),
      details: Type.Optional(Type.Array(Problem, { description: 'Every invalid field.' })),
    }),
    meta: Meta,
  },
  { title: 'Error', description: 'A failed request: the reason, and the id of the request.' },
);

/** One page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Wraps the result of a handler: `{ data, meta }`. */
export function success<Data>(request: FastifyRequest, data: Data) {
  return { data, meta: { request_id: request.id, api_version: apiVersion } } as const;
}

/** Wraps a page of a list. */
export function successPage<Row>(request: FastifyRequest, page: Page<Row>) {
  return {
    data: [...page.rows],
    meta: { request_id: request.id, api_version: apiVersion, next_cursor: page.nextCursor },
  } as const;
}

/** Wraps a page of a list with the number of all rows, or null for a filtered list. */
export function successCountedPage<Row>(request: FastifyRequest, page: Page<Row>, total: number | null) {
  const { data, meta } = successPage(request, page);
  return { data, meta: { ...meta, total } } as const;
}

/** Wraps a deletion: `{ data: { deleted: true, id } }`. */
export function successDeleted(request: FastifyRequest, id: string) {
  return success(request, { deleted: true, id } as const);
}
