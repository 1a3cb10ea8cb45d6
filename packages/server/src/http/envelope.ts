import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';

/** The version of the API, sent in `X-Service-API-Version` and in every envelope. */
export const apiVersion = '1';

const Meta = Type.Object({ request_id: Type.String(), api_version: Type.Literal(apiVersion) });

/** Returns the response schema of one resource: `{ data, meta }`. */
export function Envelope<Data extends TSchema>(data: Data) {
  return Type.Object({ data, meta: Meta });
}

/** Returns the response schema of a list: `data` is an array and `meta.next_cursor` a string or null. */
export function PageEnvelope<Item extends TSchema>(item: Item) {
  return Type.Object({
    data: Type.Array(item),
    meta: Type.Object({ ...Meta.properties, next_cursor: Type.Union([Type.String(), Type.Null()]) }),
  });
}

/** The response schema of a deletion. */
export const DeletedEnvelope = Envelope(Type.Object({ deleted: Type.Literal(true), id: Type.String() }));

/** One invalid field. Only file uploads set `row`. */
const Problem = Type.Object({
  row: Type.Optional(Type.Integer({ description: 'The row of an imported file, starting at 1; 0 is the header.' })),
  field: Type.String(),
  message: Type.String(),
});

/** The response schema of every failure. */
export const ErrorEnvelope = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    details: Type.Optional(Type.Array(Problem)),
  }),
  meta: Meta,
});

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

/** Wraps a deletion: `{ data: { deleted: true, id } }`. */
export function successDeleted(request: FastifyRequest, id: string) {
  return success(request, { deleted: true, id } as const);
}
