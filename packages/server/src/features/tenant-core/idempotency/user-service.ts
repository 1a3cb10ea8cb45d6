import type { UserIdempotencyKeysTable } from '../../../db/tables/platform/background.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { PlatformRetention } from '../retention/retention.ts';
import {
  type CreationResponse,
  hashesOf,
  logFailure,
  type NamedRequest,
  newAttempt,
  type Replayable,
  replayOf,
  reserveKey,
  storable,
} from './attempts.ts';
import { personKeys } from './queries.ts';

/**
 * Creates the resource with the given id, or continues the creation of that resource if an earlier attempt died in the
 * middle of it, and returns the response.
 */
export type PersonCreation = (id: string) => Promise<CreationResponse>;

/** How a repetition of a failed creation begins. */
export interface FailureOptions {
  /** True: with the id of the failed attempt, unless the creation was refused. False: with a new id. */
  readonly continuesAfterFailure?: boolean;
}

/**
 * Runs a creation at most once per person (a user or an admin), route and key within 24 h, and returns the stored
 * response for repetitions. Only successes are stored: after a refusal the key can be used again.
 *
 * The key's row stores the id of the resource before the creation begins. The creation may take several transactions
 * and call a payment provider. If its process dies, the repetition after the lease (60 s) continues with the same id.
 * With `continuesAfterFailure` the next repetition also continues with it after a failure that leaves the outcome open,
 * such as an unavailable provider; otherwise a failed creation is over.
 *
 * Throws 422 `IDEMPOTENCY.KEY_REUSED`, 409 `IDEMPOTENCY.IN_PROGRESS`, and any error of the creation.
 */
export async function createOnceForPerson(
  services: Services,
  personId: string,
  request: NamedRequest,
  create: PersonCreation,
  { continuesAfterFailure = false }: FailureOptions = {},
): Promise<Replayable> {
  const now = services.clock.now();
  const keys = personKeys(services.platform);
  const attempt = newAttempt(services, request, now);
  const row: UserIdempotencyKeysTable = { ...attempt, user_id: personId, resource_id: newId() };
  const continued = ({ resource_id }: UserIdempotencyKeysTable) => ({ ...row, resource_id });
  const reserved = await reserveKey(keys, row, hashesOf(services, request), now, continued);
  if (reserved.response_status !== null) return replayOf(reserved);
  const { attempt_id, resource_id } = reserved;
  try {
    const response = await create(resource_id);
    const message = 'the response of an idempotent request was not stored; a repetition creates it again';
    await logFailure(services, keys.complete(attempt_id, storable(response, [])), message);
    return { ...response, replayed: false };
  } catch (error) {
    const isRefused = error instanceof AppError && error.status < 500;
    const isOver = isRefused || !continuesAfterFailure;
    // After the end of the lease a repetition continues with the same id.
    const ending = isOver ? keys.release(attempt_id) : keys.endLease(attempt_id, services.clock.now());
    await logFailure(services, ending, 'an idempotency key was not released; it stays reserved until its lease ends');
    throw error;
  }
}

/** Idempotency keys of users. Each key stores its own expiry time. */
export const userKeyRetention: PlatformRetention = (now) => [
  { table: 'user_idempotency_keys', order: ['expires_at'], before: now },
];
