/**
 * Returns the parsed body of a successful call. The client throws a `Problem` for every other outcome, so a missing body
 * is an error of the service.
 */
export async function bodyOf<Body>(call: Promise<{ readonly data?: Body }>): Promise<Body> {
  const { data } = await call;
  if (data === undefined) throw new Error('The service answered without a body. Try again.');
  return data;
}

/** Returns the `data` of a successful call, without the envelope. */
export async function dataOf<Data>(call: Promise<{ readonly data?: { readonly data: Data } }>): Promise<Data> {
  const body = await bodyOf(call);
  return body.data;
}

/** Types a row that was read with `include=details`: the service then sends every field. */
export function detailed<Row extends object>(row: Row): Required<Row> {
  return row as Required<Row>;
}

/** Returns the header with which a repeated request does nothing again. */
export function once(idempotencyKey: string) {
  return { header: { 'Idempotency-Key': idempotencyKey } };
}
