import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import {
  type CreationResponse,
  hashesOf,
  type NamedRequest,
  newAttempt,
  type Replayable,
  replayOf,
  reserveKey,
  storable,
} from './attempts.ts';
import { completeUserAttempt, deleteUserAttempt, endLease, userKeyStore } from './user-queries.ts';

/** The services that idempotent creations of users and admins need. */
export type PersonIdempotencyServices = Pick<Services, 'clock' | 'keyring' | 'logger' | 'platform'>;

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
  services: PersonIdempotencyServices,
  personId: string,
  request: NamedRequest,
  create: PersonCreation,
  { continuesAfterFailure = false }: FailureOptions = {},
): Promise<Replayable> {
  const now = services.clock.now();
  const row = { ...newAttempt(services, request, now), user_id: personId, resource_id: newId() };
  const reserved = await reserveKey(
    userKeyStore(services.platform),
    row,
    hashesOf(services, request),
    now,
    ({ resource_id }) => ({ ...row, resource_id }),
  );
  if (reserved.response_status !== null) return replayOf(reserved);
  try {
    const response = await create(reserved.resource_id);
    await complete(services, reserved.attempt_id, response);
    return { ...response, replayed: false };
  } catch (error) {
    const isRefused = error instanceof AppError && error.status < 500;
    await (isRefused || !continuesAfterFailure ? release : abandon)(services, reserved.attempt_id);
    throw error;
  }
}

/** Does not throw: the resource exists, and a repetition after the lease returns it. */
async function complete(
  { logger, platform }: PersonIdempotencyServices,
  attemptId: string,
  response: CreationResponse,
): Promise<void> {
  try {
    await completeUserAttempt(platform, attemptId, storable(response, []));
  } catch (error) {
    logger.warn({ err: error }, 'the response of an idempotent request was not stored; a repetition creates it again');
  }
}

/** Does not throw, so that the caller reports the original error; a key that is not released expires with its lease. */
async function release({ logger, platform }: PersonIdempotencyServices, attemptId: string): Promise<void> {
  try {
    await deleteUserAttempt(platform, attemptId);
  } catch (error) {
    logger.warn({ err: error }, 'an idempotency key was not released; it stays reserved until its lease ends');
  }
}

/** Ends the lease, so that a repetition continues with the same id. Does not throw, as above. */
async function abandon({ clock, logger, platform }: PersonIdempotencyServices, attemptId: string): Promise<void> {
  try {
    await endLease(platform, attemptId, clock.now());
  } catch (error) {
    logger.warn({ err: error }, 'the lease of an idempotency key was not ended; it stays reserved until it ends');
  }
}
