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
  findAttempt,
  insertAttempt,
  type Outcome,
  replaceAttempt,
} from './queries.ts';

const keptDays = 1;
/** How long an attempt may run before it counts as dead: far longer than any request is served. */
const usualLeaseSeconds = 60;
const trimBatch = 20;

export type IdempotencyServices = Pick<Services, 'clock' | 'keyring' | 'logger'>;

/** A request that names itself. `route` is method and pattern; `input` all that decides what it does. */
export interface NamedRequest {
  readonly route: string;
  readonly key: string;
  readonly input: unknown;
  /** How long the attempt may run before it counts as dead, when that is more than a request usually takes. */
  readonly leaseSeconds?: number;
}

/** What a creation answers, and what is stored of it. */
export interface Answer {
  readonly status: number;
  readonly data: object;
}

export interface Creation<Created> {
  /**
   * Makes the thing. What changes the tenant's database does so in the first transaction on the tenant it is given,
   * and answers what that transaction answered.
   */
  readonly create: (tenant: Tenant) => Promise<Created>;
  readonly answer: (created: Created) => Answer;
  /** Fields of `data` that are shown once: a replay has null there, and they are never stored. */
  readonly secretFields: readonly string[];
}

interface Replayable extends Answer {
  readonly replayed: boolean;
}

/**
 * Runs a creation at most once per route and key of a tenant within 24 h, whoever of the tenant sends it, and answers
 * the first outcome again after that. Only successes are kept: after a failure the key is free again.
 *
 * The outcome is stored in the transaction of the change, so a process that dies leaves both or neither; one that
 * left neither blocks its key for 60 s. What lives in the platform database (API keys) is stored right after its
 * commit instead: a process that dies between the two lets a repetition create once more.
 *
 * Throws 422 `IDEMPOTENCY.KEY_REUSED`, 409 `IDEMPOTENCY.IN_PROGRESS`, and what the creation throws.
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

/** Answers the row of this attempt, or the completed one of an earlier attempt at the same. */
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
  // Gone again: the attempt that held the key failed at this very moment.
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
 * True for an answer that is too old, and for an attempt that must have died: its lease ended, or it began in what is
 * now the future, because the clock was set back.
 */
function isOver(held: IdempotencyKeysTable, now: Timestamp): boolean {
  if (held.expires_at <= now) return true;
  const isOfNoClock = held.created_at > addSeconds(now, usualLeaseSeconds);
  return held.response_status === null && (held.lease_expires_at <= now || isOfNoClock);
}

async function runAttempt<Created>(
  services: IdempotencyServices,
  tenant: Tenant,
  attemptId: string,
  { create, answer, secretFields }: Creation<Created>,
): Promise<Answer> {
  let stored: { readonly result: unknown; readonly answered: Answer } | undefined;
  const db = withFirstTransaction(tenant.db, async (tx, result) => {
    const answered = answer(result as Created);
    // Slower than its lease: another attempt has the key now, and this one must change nothing.
    if (!(await completeAttempt(tx, attemptId, storable(answered, secretFields)))) throw inProgress();
    stored = { result, answered };
  });
  const created = await create({ ...tenant, db });
  if (stored === undefined) {
    const answered = answer(created);
    await completeAfterwards(services, tenant, attemptId, storable(answered, secretFields));
    return answered;
  }
  if (stored.result !== created) {
    throw new Error('A creation must answer what its first transaction answered: that is what replays show.');
  }
  return stored.answered;
}

/** The change stands and its caller must hear of it, with the secret that only this answer has: nothing fails here. */
async function completeAfterwards(
  { logger }: IdempotencyServices,
  tenant: Tenant,
  attemptId: string,
  outcome: Outcome,
): Promise<void> {
  try {
    await completeAttempt(tenant.db.query, attemptId, outcome);
  } catch (error) {
    logger.warn({ err: error, tenant_id: tenant.id }, 'an idempotent answer was not stored: a repetition runs again');
  }
}

/** The failure that frees the key is the one to report; a key that cannot be freed now is free after its lease. */
async function release({ logger }: IdempotencyServices, tenant: Tenant, attemptId: string): Promise<void> {
  try {
    await deleteUnfinishedAttempt(tenant.db, attemptId);
  } catch (error) {
    logger.warn({ err: error, tenant_id: tenant.id }, 'an idempotency key stays taken until its lease ends');
  }
}

/** Tidying up fails no request: expired rows are ignored wherever they are read. */
async function trim({ logger }: IdempotencyServices, tenant: Tenant, now: Timestamp): Promise<void> {
  try {
    await deleteExpiredAttempts(tenant.db.query, now, trimBatch);
  } catch (error) {
    logger.warn({ err: error, tenant_id: tenant.id }, 'expired idempotency keys were not removed');
  }
}

function storable({ status, data }: Answer, secretFields: readonly string[]): Outcome {
  const withoutSecrets = { ...data, ...Object.fromEntries(secretFields.map((field) => [field, null])) };
  return { response_status: status, response_data_json: JSON.stringify(withoutSecrets) };
}

function replayOf({ response_status, response_data_json }: IdempotencyKeysTable): Replayable {
  if (response_status === null || response_data_json === null) throw new Error('An unfinished attempt has no answer.');
  return { status: response_status, data: JSON.parse(response_data_json), replayed: true };
}

function keyReused(): AppError {
  const message = 'This Idempotency-Key was sent with another request. Send the same request, or take a new key.';
  return new AppError('IDEMPOTENCY.KEY_REUSED', message);
}

function inProgress(): AppError {
  const message = 'A request with this Idempotency-Key still runs. Send the same request again in a moment.';
  return new AppError('IDEMPOTENCY.IN_PROGRESS', message, { headers: { 'retry-after': '1' } });
}
