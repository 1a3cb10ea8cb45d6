import { availableParallelism } from 'node:os';
import { AppError } from './error.ts';
import { createPasswordWorkers, type PasswordTask, tasksPerWorker } from './password-workers.ts';
import { createWorkQueue, QueueFullError } from './work-queue.ts';

/** The length of a password in characters (code points); long enough for a passphrase, short enough to hash. */
export const passwordLength = { minLength: 12, maxLength: 256 } as const;

/**
 * Argon2id with 19 MiB, 2 passes and 1 lane: the first choice of the OWASP Password Storage Cheat Sheet.
 * Argon2id is the library's default algorithm.
 */
const argon2Parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash of 32 random bytes that nobody kept, made with the parameters above: no password fits it. */
const dummyHash = '$argon2id$v=19$m=19456,t=2,p=1$MCXtXAmUaY4uEL0Nt9tVwQ$yJ91Qk4sgag1phcBu4M63QAUAAmiDDpjRTSWzHm9qW8';

/**
 * How many passwords are hashed at the same time, each in a thread that keeps a core busy: the event loop needs a core
 * for everybody else. The thread pool would not do: libuv's threads also read files and resolve names, and what the
 * event loop hands out one by one stands still while that waits for the disk (docs/decisions/0012).
 */
export const hashingPlaces = Math.min(Math.max(1, availableParallelism() - 1), 16);

/** Behind these an answer would take several seconds, and who waits has gone. */
const maxWaitingPerPlace = 100;

/** One for the process, whose cores it is about. */
export const passwordWork = createWorkQueue({
  places: hashingPlaces * tasksPerWorker,
  maxWaiting: hashingPlaces * maxWaitingPerPlace,
});

const workers = createPasswordWorkers(hashingPlaces);

/** Throws 503 `SERVICE.UNAVAILABLE` when too many wait already: better than an answer that nobody waits for. */
async function inTurn(task: PasswordTask): Promise<string | boolean> {
  try {
    return await passwordWork.run(() => workers.perform(task));
  } catch (error) {
    throw error instanceof QueueFullError ? tooBusy() : error;
  }
}

function tooBusy(): AppError {
  const sentence = 'Too many people are logging in at once. Try again in a few seconds.';
  return new AppError('SERVICE.UNAVAILABLE', sentence, { headers: { 'retry-after': '5' } });
}

/** Two keyboards can send one visible password as different code points: NIST SP 800-63B asks for NFKC. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

/** Hashes a password with Argon2id and a random salt. The result is a PHC string that holds its parameters. */
export async function hashPassword(password: string): Promise<string> {
  return String(await inTurn({ kind: 'hash', password: normalize(password), parameters: argon2Parameters }));
}

/**
 * True when the password belongs to the hash. Without a hash (no such account, or one without a password) it is
 * false after the same work, so that the time of the answer does not tell which accounts exist.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const hash = passwordHash ?? dummyHash;
  const matches = await inTurn({ kind: 'verify', hash, password: normalize(password) });
  return matches === true && passwordHash !== null;
}
