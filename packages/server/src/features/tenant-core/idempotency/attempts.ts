import type { IdempotencyKeysTable } from '../../../db/tables/tenant/administration.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { isObject } from '../../../lib/json-object.ts';
import type { KeyServices, TenantWorkServices } from '../../../services.ts';
import type { KeyStore, Outcome } from './queries.ts';

const keptDays = 1;
/** How long an attempt may run before it counts as abandoned: far longer than any request takes. */
const usualLeaseSeconds = 60;

/**
 * A request with an idempotency key. `route` is the method and URL pattern; `input` is all data that determines the
 * effect.
 */
export interface NamedRequest {
  readonly route: string;
  readonly key: string;
  readonly input: unknown;
  /** How long the attempt may run before it counts as abandoned; 60 s if absent. */
  readonly leaseSeconds?: number;
}

/** The response of a creation; it is stored without the secret fields. */
export interface CreationResponse {
  readonly status: number;
  readonly data: object;
}

/** A response, and whether it repeats that of an earlier request. */
export interface Replayable extends CreationResponse {
  readonly replayed: boolean;
}

/** Returns the hashes of a request under the current application key and the previous ones, the current one first. */
export function hashesOf({ keyring }: KeyServices, { input }: NamedRequest): readonly string[] {
  const text = canonicalJson(input);
  return [keyring.hash(text), ...keyring.previousHashes(text)];
}

/** Returns the row of a new attempt, which has no response yet. */
export function newAttempt(
  services: KeyServices,
  request: NamedRequest,
  now: Timestamp,
): IdempotencyKeysTable & { readonly response_status: null } {
  const { route, key, leaseSeconds = usualLeaseSeconds } = request;
  const [requestHash = ''] = hashesOf(services, request);
  return {
    route,
    idempotency_key: key,
    request_hash: requestHash,
    attempt_id: newId(),
    lease_expires_at: addSeconds(now, leaseSeconds),
    response_status: null,
    response_data_json: null,
    created_at: now,
    expires_at: addDays(now, keptDays),
  };
}

/**
 * Reserves the key of a new attempt. Returns `row` itself, the row of the same attempt that continues an abandoned one,
 * or the completed row of an earlier attempt at the same request. `hashes` are those of the request. Throws 422
 * `IDEMPOTENCY.KEY_REUSED` and 409 `IDEMPOTENCY.IN_PROGRESS`.
 */
export async function reserveKey<Row extends IdempotencyKeysTable>(
  store: KeyStore<Row>,
  row: Row,
  hashes: readonly string[],
  now: Timestamp,
  continued: (abandoned: Row) => Row = () => row,
): Promise<Row> {
  if (await store.insert(row)) return row;
  const held = await store.find(row);
  // The attempt that held the key failed between the insert and this read.
  if (held === undefined) throw inProgress();
  const isSame = hashes.includes(held.request_hash);
  if (isOver(held, now)) {
    const isAbandoned = held.response_status === null && held.expires_at > now;
    const replacement = isAbandoned && isSame ? continued(held) : row;
    if (await store.replace(held, replacement)) return replacement;
    throw inProgress();
  }
  if (!isSame) throw keyReused();
  if (held.response_status === null) throw inProgress();
  return held;
}

/**
 * Returns true for an expired response and for an abandoned attempt: its lease ended, or its creation lies in the
 * future, because the clock was set back since.
 */
function isOver(held: IdempotencyKeysTable, now: Timestamp): boolean {
  if (held.expires_at <= now) return true;
  const isFromFuture = held.created_at > addSeconds(now, usualLeaseSeconds);
  return held.response_status === null && (held.lease_expires_at <= now || isFromFuture);
}

/** Returns the stored form of a response: secret fields are null. */
export function storable({ status, data }: CreationResponse, secretFields: readonly string[]): Outcome {
  const withoutSecrets = { ...data, ...Object.fromEntries(secretFields.map((field) => [field, null])) };
  return { response_status: status, response_data_json: JSON.stringify(withoutSecrets) };
}

/** Returns the stored response of a completed attempt. */
export function replayOf({ response_status, response_data_json }: IdempotencyKeysTable): Replayable {
  if (response_status === null || response_data_json === null)
    throw new Error('The attempt is not completed, so there is no response to replay.');
  return { status: response_status, data: JSON.parse(response_data_json), replayed: true };
}

function keyReused(): AppError {
  const message = 'This Idempotency-Key was used with a different request. Send the same request, or use a new key.';
  return new AppError('IDEMPOTENCY.KEY_REUSED', message);
}

/** Returns the error for a key of an active request. */
export function inProgress(): AppError {
  const message = 'A request with this Idempotency-Key is still running. Send the same request again after a second.';
  return new AppError('IDEMPOTENCY.IN_PROGRESS', message, { headers: { 'retry-after': '1' } });
}

/**
 * Completes `work` or logs its failure. The caller reports its own error: a key that is neither
 * completed nor released expires with its lease.
 */
export async function logFailure(
  { logger }: TenantWorkServices,
  work: Promise<unknown>,
  message: string,
  tenant?: { readonly id: string },
): Promise<void> {
  try {
    await work;
  } catch (error) {
    logger.warn({ err: error, ...(tenant && { tenant_id: tenant.id }) }, message);
  }
}

/** Serialises a value as JSON with sorted object keys, so that values that differ only in key order have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) => (isObject(item) ? sorted(item) : item));
}

/** The result has no prototype, so that `__proto__` is an ordinary key. */
function sorted(value: Readonly<Record<string, unknown>>): object {
  const result: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value).sort()) result[name] = value[name];
  return result;
}
