import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { AppError } from './error.ts';
import { createPasswordWorkers, type PasswordTask, tasksPerWorker } from './password-workers.ts';
import { createWorkQueue, QueueFullError } from './work-queue.ts';

/** The bounds of a password's length in characters (code points): enough for a passphrase, and cheap to hash. */
export const passwordLength = { minLength: 12, maxLength: 256 } as const;

/**
 * Argon2id with 19 MiB, 2 passes and 1 lane: the first choice of the OWASP Password Storage Cheat Sheet.
 * Argon2id is the library's default algorithm.
 */
const argon2Parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash of 32 random bytes that were discarded, with the parameters above: no known password matches it. */
const dummyHash = '$argon2id$v=19$m=19456,t=2,p=1$MCXtXAmUaY4uEL0Nt9tVwQ$yJ91Qk4sgag1phcBu4M63QAUAAmiDDpjRTSWzHm9qW8';

/**
 * The number of passwords hashed concurrently, each in a thread that occupies a core; one core stays free for the event
 * loop. libuv's thread pool is unsuitable: its threads also read files and resolve names, and tasks that the event loop
 * hands out one by one stall while the event loop waits for the disk (docs/decisions/0012).
 */
const hashingPlaces = Math.min(Math.max(1, availableParallelism() - 1), 16);

/** With a longer queue, a response would take several seconds, and clients would have given up. */
const maxWaitingPerPlace = 100;

/** The queue of password tasks. It is shared by the whole process, because it bounds the use of the cores. */
export const passwordWork = createWorkQueue({
  places: hashingPlaces * tasksPerWorker,
  maxWaiting: hashingPlaces * maxWaitingPerPlace,
});

const workers = createPasswordWorkers(hashingPlaces);

/** Queues a task. Throws 503 `SERVICE.UNAVAILABLE` when the queue is full. */
async function enqueue(task: PasswordTask): Promise<string | boolean> {
  try {
    return await passwordWork.run(() => workers.perform(task));
  } catch (error) {
    throw error instanceof QueueFullError ? tooBusy() : error;
  }
}

/** The queue is empty after about five seconds. Callers who were refused together must not all come back together. */
const retryAfterSeconds = { min: 5, max: 15 } as const;

function tooBusy(): AppError {
  const sentence = 'Too many people are logging in at once. Try again in a few seconds.';
  const seconds = randomInt(retryAfterSeconds.min, retryAfterSeconds.max + 1);
  return new AppError('SERVICE.UNAVAILABLE', sentence, { headers: { 'retry-after': String(seconds) } });
}

/** Throws 503 `SERVICE.UNAVAILABLE` when too many tasks wait. Call it before work that a refusal would waste. */
export function assertHashingPossible(): void {
  if (passwordWork.isFull) throw tooBusy();
}

/** Different keyboards can send the same visible password as different code points; NIST SP 800-63B recommends NFKC. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Hashes a password with Argon2id and a random salt. Returns a PHC string, which includes the parameters. Throws 503
 * `SERVICE.UNAVAILABLE` when too many tasks wait.
 */
export async function hashPassword(password: string): Promise<string> {
  return String(await enqueue({ kind: 'hash', password: normalize(password), parameters: argon2Parameters }));
}

/**
 * Returns true when the password matches the hash. Without a hash (no such account, or one without a password) it
 * returns false after the same work, so that the response time does not reveal which accounts exist. Throws 503
 * `SERVICE.UNAVAILABLE` when too many tasks wait.
 */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const hash = passwordHash ?? dummyHash;
  const matches = await enqueue({ kind: 'verify', hash, password: normalize(password) });
  return matches === true && passwordHash !== null;
}
