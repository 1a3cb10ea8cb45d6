import type { TenantTransaction } from '../../../db/database.ts';
import type { IdempotencyKeysTable } from '../../../db/tables/tenant/idempotency-keys.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays, addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { withFirstTransaction } from '../../../tenancy/first-transaction.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { canonicalJson } from './canonical-json.ts';
import {
  completeAttempt,
  deleteExpiredAttempts,
  deleteUnfinishedAttempt,
  deleteUnfinishedAttempts,
  findAttempt,
  insertAttempt,
  type Outcome,
  replaceAttempt,
} from './queries.ts';

const keptDays = 1;
/** How long an attempt may run before it counts as abandoned: far longer than any request takes. */
const usualLeaseSeconds = 60;
const trimBatch = 20;

/** The services that idempotent creations need. */
export type IdempotencyServices = Pick<Services, 'clock' | 'keyring' | 'logger'>;

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

/** A creation to run at most once. */
export interface Creation<Created> {
  /**
   * Creates the resource. If it changes the tenant's database, it must do so in its first transaction on the tenant
   * that it receives, and return the result of that transaction.
   */
  readonly create: (tenant: Tenant) => Promise<Created>;
  /** Builds the response. It runs inside the transaction and must only compute. */
  readonly answer: (created: Created) => CreationResponse;
  /** Fields of `data` that are returned once: they are never stored, and a replay has null in their place. */
  readonly secretFields: readonly string[];
}

interface Replayable extends CreationResponse {
  readonly replayed: boolean;
}

/**
 * Runs a creation at most once per tenant, route and key within 24 h, regardless of which user of the tenant sends it,
 * and returns the stored response for repetitions. Only successes are stored: after a failure the key can be used
 * again.
 *
 * The response is stored in the transaction of the change, so that a crash leaves both or neither; a crash that leaves
 * neither blocks the key until the lease ends (60 s). For resources in the platform database (API keys) the response is
 * stored right after the commit instead: a crash between the two lets a repetition create a second resource.
 *
 * Throws 422 `IDEMPOTENCY.KEY_REUSED`, 409 `IDEMPOTENCY.IN_PROGRESS`, and any error of the creation.
 */
export async function createOnce<Created>(
  services: IdempotencyServices,
  tenant: Tenant,
  request: NamedRequest,
  creation: Creation<Created>,
): Promise<Replayable> {
  const reserved = await reserve(services, tenant, request);
  if (reserved.response_status !== null) return replayOf(reserved);
  try {
    return { ...(await runAttempt(services, tenant, reserved.attempt_id, creation)), replayed: false };
  } catch (error) {
    await release(services, tenant, reserved.attempt_id);
    throw error;
  }
}

/** Returns the new row of this attempt, or the completed row of an earlier attempt at the same request. */
async function reserve(
  services: IdempotencyServices,
  tenant: Tenant,
  { route, key, input, leaseSeconds = usualLeaseSeconds }: NamedRequest,
): Promise<IdempotencyKeysTable> {
  const now = services.clock.now();
  const text = canonicalJson(input);
  const lease = addSeconds(now, leaseSeconds);
  const row = newAttempt({ route, idempotency_key: key, request_hash: services.keyring.hash(text) }, now, lease);
  if (await insertAttempt(tenant.db, row)) {
    await trim(services, tenant, now);
    return row;
  }
  const held = await findAttempt(tenant.db, row);
  // The attempt that held the key failed between the insert and this read.
  if (held === undefined) throw inProgress();
  if (isOver(held, now)) {
    if (await replaceAttempt(tenant.db, held, row)) return row;
    throw inProgress();
  }
  const hashes = [row.request_hash, ...services.keyring.previousHashes(text)];
  if (!hashes.includes(held.request_hash)) throw keyReused();
  if (held.response_status === null) throw inProgress();
  return held;
}

type Named = Pick<IdempotencyKeysTable, 'route' | 'idempotency_key' | 'request_hash'>;

function newAttempt(named: Named, now: Timestamp, leaseExpiresAt: Timestamp): IdempotencyKeysTable {
  return {
    ...named,
    attempt_id: newId(),
    lease_expires_at: leaseExpiresAt,
    response_status: null,
    response_data_json: null,
    created_at: now,
    expires_at: addDays(now, keptDays),
  };
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

async function runAttempt<Created>(
  services: IdempotencyServices,
  tenant: Tenant,
  attemptId: string,
  { create, answer, secretFields }: Creation<Created>,
): Promise<CreationResponse> {
  let stored: { readonly result: unknown; readonly response: CreationResponse } | undefined;
  const db = withFirstTransaction(tenant.db, async (tx, result) => {
    const response = answer(result as Created);
    // The lease ended and another attempt has the key now: roll back.
    if (!(await completeAttempt(tx, attemptId, storable(response, secretFields)))) throw inProgress();
    stored = { result, response };
  });
  const created = await create({ ...tenant, db });
  if (stored === undefined) {
    const response = answer(created);
    await completeAfterCommit(services, tenant, attemptId, storable(response, secretFields));
    return response;
  }
  if (stored.result !== created) {
    throw new Error('A creation must return the result of its first transaction, because replays return it.');
  }
  return stored.response;
}

/** Does not throw: the change is committed, and only this response contains its secret. */
async function completeAfterCommit(
  { logger }: IdempotencyServices,
  tenant: Tenant,
  attemptId: string,
  outcome: Outcome,
): Promise<void> {
  try {
    await completeAttempt(tenant.db.query, attemptId, outcome);
  } catch (error) {
    logger.warn(
      { err: error, tenant_id: tenant.id },
      'the response of an idempotent request was not stored; a repetition will create a second resource',
    );
  }
}

/** Does not throw, so that the caller reports the original error; a key that is not released expires with its lease. */
async function release({ logger }: IdempotencyServices, tenant: Tenant, attemptId: string): Promise<void> {
  try {
    await deleteUnfinishedAttempt(tenant.db, attemptId);
  } catch (error) {
    logger.warn(
      { err: error, tenant_id: tenant.id },
      'an idempotency key was not released; it stays reserved until its lease ends',
    );
  }
}

/**
 * Releases the keys of the attempts that a move of the tenant interrupted, so that their requests can be repeated at
 * once. An attempt that still runs cannot commit afterwards: it no longer holds its key.
 */
export async function releaseInterruptedAttempts(tx: TenantTransaction): Promise<void> {
  await deleteUnfinishedAttempts(tx);
}

/** Does not throw: expired rows are ignored wherever they are read, so a failed deletion affects no request. */
async function trim({ logger }: IdempotencyServices, tenant: Tenant, now: Timestamp): Promise<void> {
  try {
    await deleteExpiredAttempts(tenant.db.query, now, trimBatch);
  } catch (error) {
    logger.warn(
      { err: error, tenant_id: tenant.id },
      'expired idempotency keys were not deleted; a later request or the retention job deletes them',
    );
  }
}

function storable({ status, data }: CreationResponse, secretFields: readonly string[]): Outcome {
  const withoutSecrets = { ...data, ...Object.fromEntries(secretFields.map((field) => [field, null])) };
  return { response_status: status, response_data_json: JSON.stringify(withoutSecrets) };
}

function replayOf({ response_status, response_data_json }: IdempotencyKeysTable): Replayable {
  if (response_status === null || response_data_json === null)
    throw new Error('The attempt is not completed, so there is no response to replay.');
  return { status: response_status, data: JSON.parse(response_data_json), replayed: true };
}

function keyReused(): AppError {
  const message = 'This Idempotency-Key was used with a different request. Send the same request, or use a new key.';
  return new AppError('IDEMPOTENCY.KEY_REUSED', message);
}

function inProgress(): AppError {
  const message = 'A request with this Idempotency-Key is still running. Send the same request again after a second.';
  return new AppError('IDEMPOTENCY.IN_PROGRESS', message, { headers: { 'retry-after': '1' } });
}
