import { Worker } from 'node:worker_threads';
import type { SqlValue } from '../database.ts';
import { DatabaseUnavailableError, TenantMovingError } from '../errors.ts';
import type { SqliteOptions, StatementResult } from './handle.ts';

/** A task for a thread. `run` with `isInTransaction` fails unless a transaction is open. */
export type ThreadTask =
  | { readonly kind: 'open'; readonly path: string; readonly options: SqliteOptions }
  | {
      readonly kind: 'run';
      readonly sql: string;
      readonly parameters: readonly SqlValue[];
      readonly isInTransaction: boolean;
    }
  | { readonly kind: 'execute'; readonly sql: string }
  | { readonly kind: 'close' };

/** An error of a thread. `fields` are the fields by which `errors.ts` recognizes errors of SQLite. */
export interface ThreadFailure {
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause?: ThreadFailure;
}

/** The reply of a thread to its oldest task without a reply. */
export type ThreadReply = { readonly result: StatementResult } | { readonly failure: ThreadFailure };

/** A connection to a SQLite file in a thread of its own. Its statements run in the order of the calls. */
export interface ThreadConnection {
  run(
    sql: string,
    parameters: readonly SqlValue[],
    options?: { readonly isInTransaction: boolean },
  ): Promise<StatementResult>;
  /** Runs SQL that has no parameters and returns no rows. */
  execute(sql: string): Promise<void>;
  /** Closes the connection, which rolls back an open transaction. Never throws. */
  close(): Promise<void>;
}

/** Limits the memory: each thread has a heap of its own and a page cache. Further connections wait. */
const threadsMax = 4;
/** An idle thread ends after this time; starting another one takes some tens of milliseconds. */
const idleMs = 10_000;

class Thread {
  readonly #worker = new Worker(new URL('./bulk-thread.ts', import.meta.url));
  readonly #replies: PromiseWithResolvers<StatementResult>[] = [];
  #idle: NodeJS.Timeout | undefined;
  isEnded = false;

  constructor(onEnd: (thread: Thread) => void) {
    this.#worker.on('message', (reply: ThreadReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => {
      this.#fail(new Error('The thread exited.'));
      onEnd(this);
    });
  }

  perform(task: ThreadTask): Promise<StatementResult> {
    const reply = Promise.withResolvers<StatementResult>();
    if (this.isEnded) reply.reject(threadFailed());
    else {
      this.#replies.push(reply);
      this.#worker.postMessage(task);
    }
    return reply.promise;
  }

  /** A thread in use keeps the process alive; an idle one does not. */
  use(): void {
    clearTimeout(this.#idle);
    this.#worker.ref();
  }

  rest(): void {
    this.#worker.unref();
    this.#idle = setTimeout(() => {
      this.isEnded = true;
      void this.#worker.terminate();
    }, idleMs).unref();
  }

  #settle(reply: ThreadReply): void {
    const waiting = this.#replies.shift();
    if ('result' in reply) waiting?.resolve(reply.result);
    else waiting?.reject(toError(reply.failure));
  }

  #fail(cause: unknown): void {
    this.isEnded = true;
    for (const waiting of this.#replies.splice(0)) waiting.reject(threadFailed(cause));
  }
}

function threadFailed(cause?: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError('The thread of a database transaction failed: try again.', cause);
}

function toError({ name, message, fields, cause: causeFailure }: ThreadFailure): Error {
  const cause = causeFailure === undefined ? undefined : toError(causeFailure);
  if (name === 'DatabaseUnavailableError') return new DatabaseUnavailableError(message, cause);
  if (name === 'TenantMovingError') return new TenantMovingError(cause);
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), fields);
}

const idle: Thread[] = [];
const waiting: ((thread: Thread) => void)[] = [];
let threadCount = 0;

function startThread(): Thread {
  threadCount += 1;
  return new Thread((ended) => {
    threadCount -= 1;
    const at = idle.indexOf(ended);
    if (at !== -1) idle.splice(at, 1);
    const next = waiting.shift();
    if (next !== undefined) next(startThread());
  });
}

async function acquireThread(): Promise<Thread> {
  const rested = idle.findLast((thread) => !thread.isEnded);
  if (rested !== undefined) {
    idle.splice(idle.indexOf(rested), 1);
    rested.use();
    return rested;
  }
  if (threadCount < threadsMax) return startThread();
  return await new Promise((resolve) => waiting.push(resolve));
}

function releaseThread(thread: Thread): void {
  if (thread.isEnded) return;
  const next = waiting.shift();
  if (next !== undefined) {
    next(thread);
    return;
  }
  idle.push(thread);
  thread.rest();
}

/**
 * Opens a connection in a thread, so that its statements, its COMMIT and its checkpoints do not block this process.
 * Waits while four connections are open. Throws as `openSqliteHandle` does.
 */
export async function openOnThread(path: string, options: SqliteOptions): Promise<ThreadConnection> {
  const thread = await acquireThread();
  try {
    await thread.perform({ kind: 'open', path, options });
  } catch (error) {
    releaseThread(thread);
    throw error;
  }
  return {
    run: (sql, parameters, { isInTransaction } = { isInTransaction: false }) =>
      thread.perform({ kind: 'run', sql, parameters, isInTransaction }),
    async execute(sql) {
      await thread.perform({ kind: 'execute', sql });
    },
    async close() {
      await thread.perform({ kind: 'close' }).catch(() => undefined);
      releaseThread(thread);
    },
  };
}
