import { createHash } from 'node:crypto';
import { AppError } from '../lib/error.ts';
import type { RateLimits } from './rate-limits.ts';

const failuresBeforeLock = { limit: 5, windowSeconds: 15 * 60 };
const name = 'login-failures';

/** Who tries to get in: an account (in its normalised spelling) from an address. */
export interface LoginAttempt {
  readonly account: string;
  readonly address: string;
}

type Outcome<Subject> =
  | { readonly subject: Subject }
  /** `locked`: this failure was the one that locks the pair. */
  | { readonly subject: null; readonly locked: boolean };

export interface Lockout {
  /**
   * Runs `verify`, which answers the subject or null for wrong credentials. Five failures lock the pair of account
   * and address for 15 minutes; a success forgets them. Throws 429 `AUTH.LOCKED_OUT` without running `verify`.
   */
  attempt<Subject>(attempt: LoginAttempt, verify: () => Promise<Subject | null>): Promise<Outcome<Subject>>;
}

/**
 * The lock on guessing one account's password. Each attempt reserves its failure before the password is checked, so
 * that parallel attempts never check more than five; attempts of one pair take turns, so that reservations
 * of attempts that will succeed lock nobody out. Accounts that do not exist are locked alike.
 */
export function createLockout(rateLimits: RateLimits): Lockout {
  const takeTurn = createTurns();

  async function attemptOnce<Subject>(key: string, verify: () => Promise<Subject | null>): Promise<Outcome<Subject>> {
    const reservation = await rateLimits.consume(name, key, failuresBeforeLock);
    if (!reservation.allowed) throw lockedOut(reservation.retryAfterSeconds);
    const subject = await verify().catch(async (error: unknown) => {
      // An outage is nobody's failure to know the password.
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
      return takeTurn(key, () => attemptOnce(key, verify));
    },
  };
}

/** Hashed: the store of the counters, which may be shared, learns no addresses of people. */
function keyOf({ account, address }: LoginAttempt): string {
  return createHash('sha256').update(`${account}\n${address}`).digest('base64url');
}

function lockedOut(retryAfterSeconds: number): AppError {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return new AppError('AUTH.LOCKED_OUT', `Too many failed logins. Wait ${minutes} min and try again.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** Runs the work of one key in the order in which it came, one after the other. */
function createTurns() {
  const lastByKey = new Map<string, Promise<unknown>>();
  return <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = (lastByKey.get(key) ?? Promise.resolve()).then(work, work);
    lastByKey.set(key, turn);
    const leave = () => {
      if (lastByKey.get(key) === turn) lastByKey.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  };
}
