import type { TenantTransaction } from '../../../db/database.ts';
import type { IdempotencyKeysTable } from '../../../db/tables/tenant/administration.ts';
import type { Services } from '../../../services.ts';
import { withFirstTransaction } from '../../../tenancy/first-transaction.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { expiryRule } from '../retention/retention.ts';
import {
  type CreationResponse,
  hashesOf,
  inProgress,
  logFailure,
  type NamedRequest,
  newAttempt,
  type Replayable,
  replayOf,
  reserveKey,
  storable,
} from './attempts.ts';
import { tenantKeys } from './queries.ts';

// `createOnceForPerson` keeps the same rows by the same rules (`attempts.ts`) but runs a creation in another way, because its
// key and its changes have no common transaction: it stores the id of the resource first, and a creation must be able to
// continue with an id. Here the key lies in the database that the creation changes, so no creation has to do that.

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
  services: Services,
  tenant: Tenant,
  request: NamedRequest,
  creation: Creation<Created>,
): Promise<Replayable> {
  const reserved = await reserve(services, tenant, request);
  if (reserved.response_status !== null) return replayOf(reserved);
  try {
    return { ...(await runAttempt(services, tenant, reserved.attempt_id, creation)), replayed: false };
  } catch (error) {
    const message = 'an idempotency key was not released; it stays reserved until its lease ends';
    await logFailure(services, tenantKeys(tenant.db.query).release(reserved.attempt_id), message, tenant);
    throw error;
  }
}

/** Returns the new row of this attempt, or the completed row of an earlier attempt at the same request. */
async function reserve(services: Services, tenant: Tenant, request: NamedRequest): Promise<IdempotencyKeysTable> {
  const now = services.clock.now();
  const row = newAttempt(services, request, now);
  return await reserveKey(tenantKeys(tenant.db.query), row, hashesOf(services, request), now);
}

async function runAttempt<Created>(
  services: Services,
  tenant: Tenant,
  attemptId: string,
  { create, answer, secretFields }: Creation<Created>,
): Promise<CreationResponse> {
  let stored: { readonly result: unknown; readonly response: CreationResponse } | undefined;
  const db = withFirstTransaction(tenant.db, async (tx, result) => {
    const response = answer(result as Created);
    // The lease ended and another attempt has the key now: roll back.
    if (!(await tenantKeys(tx).complete(attemptId, storable(response, secretFields)))) throw inProgress();
    stored = { result, response };
  });
  const created = await create({ ...tenant, db });
  if (stored === undefined) {
    const response = answer(created);
    // The change is committed, and only this response contains its secret.
    const completion = tenantKeys(tenant.db.query).complete(attemptId, storable(response, secretFields));
    const message = 'the response of an idempotent request was not stored; a repetition will create a second resource';
    await logFailure(services, completion, message, tenant);
    return response;
  }
  if (stored.result !== created) {
    throw new Error('A creation must return the result of its first transaction, because replays return it.');
  }
  return stored.response;
}

/**
 * Releases the keys of the attempts that a move of the tenant interrupted, so that their requests can be repeated at
 * once. An attempt that still runs cannot commit afterwards: it no longer holds its key.
 */
export async function releaseInterruptedAttempts(tx: TenantTransaction): Promise<void> {
  await tx.deleteFrom('idempotency_keys').where('response_status', 'is', null).execute();
}

/** Deletes expired idempotency keys; each key stores its own expiry time. */
export const idempotencyRetention = expiryRule(({ now }) => [
  { table: 'idempotency_keys', order: ['expires_at'], before: now },
]);
