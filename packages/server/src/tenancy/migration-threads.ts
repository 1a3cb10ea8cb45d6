import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DatabaseUnavailableError } from '../db/errors.ts';
import { type MigrationResult, NewerSchemaError } from '../db/migrations/migrate.ts';
import type { Placement } from './placement.ts';
import type { TenantDatabases } from './tenant-databases.ts';

export interface MigrationThreadData {
  readonly dataDir: string;
  /** The URL of a module that exports other `tenantMigrations` than those of this version; null: those. */
  readonly migrationsModule: string | null;
}

/** Errors lose their class on the way between threads. */
export type MigrationAnswer =
  | { readonly result: MigrationResult }
  | { readonly failure: { readonly name: string; readonly message: string; readonly cause: string | undefined } };

/** Threads that migrate embedded tenants. */
export interface MigrationThreads extends Pick<TenantDatabases, 'migrate'> {
  close(): Promise<void>;
}

/**
 * Migrates files in as many threads as tenants are migrated at the same time; each starts when it is first needed.
 * SQLite waits for the disk several times per file, and in one thread everybody waits with it.
 */
export function createMigrationThreads(data: MigrationThreadData): MigrationThreads {
  const started: Worker[] = [];
  const idle: Worker[] = [];

  function start(): Worker {
    const worker = new Worker(new URL('./migration-thread.ts', import.meta.url), { workerData: data });
    started.push(worker);
    return worker;
  }

  return {
    async migrate(placement: Placement) {
      const worker = idle.pop() ?? start();
      worker.postMessage(placement);
      // An error of the thread itself rejects.
      const [answer] = (await once(worker, 'message')) as [MigrationAnswer];
      idle.push(worker);
      if ('result' in answer) return answer.result;
      throw revived(answer.failure);
    },
    async close() {
      await Promise.all(started.map((worker) => worker.terminate()));
    },
  };
}

function revived({ name, message, cause }: Extract<MigrationAnswer, { failure: unknown }>['failure']): Error {
  if (name === 'NewerSchemaError') return new NewerSchemaError();
  const reason = cause === undefined ? undefined : new Error(cause);
  if (name === 'DatabaseUnavailableError') return new DatabaseUnavailableError(message, reason);
  return new Error(message, reason === undefined ? {} : { cause: reason });
}
