import { createHash } from 'node:crypto';
import { AppError } from '../lib/error.ts';
import type { RateLimits } from './rate-limits.ts';

const failuresBeforeLock = { limit: 5, windowSeconds: 15 * 60 };
const name = 'login-failures';

/** A login attempt: the account (in its normalised spelling) and the client address. */
export interface LoginAttempt {
  readonly account: string;
  readonly address: string;
}

type Outcome<Subject> =
  | { readonly subject: Subject }
  /** `locked`: true when this failure locked the pair of account and address. */
  | { readonly subject: null; readonly locked: boolean };

/** Locks out clients that guess passwords. */
export interface Lockout {
  /**
   * Runs `verify`, which returns the subject, or null for wrong credentials. Five failures lock the pair of account and
   * address for 15 minutes; a success resets the count. Throws 429 `AUTH.LOCKED_OUT` for a locked pair, without running
   * `verify`.
   */
  attempt<Subject>(attempt: LoginAttempt, verify: () => Promise<Subject | null>): Promise<Outcome<Subject>>;
}

/**
 * Creates the lockout. Each attempt counts as a failure before its password is checked, so that parallel attempts never
 * check more than five passwords. Attempts of one pair run one after another, so that the failures reserved by attempts
 * that will succeed do not lock the pair. Accounts that do not exist are locked in the same way.
 */
export function createLockout(rateLimits: RateLimits): Lockout {
  const runInOrder = createSerialRunner();

  async function attemptOnce<Subject>(key: string, verify: () => Promise<Subject | null>): Promise<Outcome<Subject>> {
    const reservation = await rateLimits.consume(name, key, failuresBeforeLock);
    if (!reservation.allowed) throw lockedOut(reservation.retryAfterSeconds);
    const subject = await verify().catch(async (error: unknown) => {
      // An outage is not a wrong password.
      await rateLimits.refund(name, key);
      throw error;
    });
    if (subject !== null) {
      await rateLimits.reset(name, key);
      return { subject };
    }
    const locked = reservation.remaining === 0;
    if (locked) await rateLimits.block(name, key, failuresBeforeLock);
    return { subject: null, locked };
  }

  return {
    attempt(attempt, verify) {
      const key = keyOf(attempt);
      return runInOrder(key, () => attemptOnce(key, verify));
    },
  };
}

/** Returns a hash, so that the counter store, which may be shared, contains no email or client addresses. */
function keyOf({ account, address }: LoginAttempt): string {
  return createHash('sha256').update(`${account}\n${address}`).digest('base64url');
}

function lockedOut(retryAfterSeconds: number): AppError {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return new AppError('AUTH.LOCKED_OUT', `Too many failed logins. Wait ${minutes} min and try again.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** Returns a function that runs the work of each key one after another, in the order of the calls. */
function createSerialRunner() {
  const lastByKey = new Map<string, Promise<unknown>>();
  return <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const result = (lastByKey.get(key) ?? Promise.resolve()).then(work, work);
    lastByKey.set(key, result);
    const forget = () => {
      if (lastByKey.get(key) === result) lastByKey.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
