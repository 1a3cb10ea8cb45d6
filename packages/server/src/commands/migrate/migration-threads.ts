import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DatabaseUnavailableError } from '../../db/errors.ts';
import { type MigrationResult, NewerSchemaError } from '../../db/migrations/migrate.ts';
import type { Placement } from '../../tenancy/placement.ts';
import type { TenantDatabases } from '../../tenancy/tenant-databases.ts';

/** The start parameters of a migration thread. */
export interface MigrationThreadData {
  readonly dataDir: string;
  /** The application key and the previous ones: the seed of a tenant is encrypted. */
  readonly appKey: string;
  readonly previousAppKeys: readonly string[];
  /** The URL of a module that exports `tenantMigrations` to use instead; null: the migrations of this version. */
  readonly migrationsModule: string | null;
}

/** The reply of a thread. Structured cloning drops the class of an error, so a failure carries its name. */
export type MigrationReply =
  | { readonly result: MigrationResult }
  | { readonly failure: { readonly name: string; readonly message: string; readonly cause: string | undefined } };

/** A pool of threads that migrate embedded tenants. */
export interface MigrationThreads extends Pick<TenantDatabases, 'migrate'> {
  close(): Promise<void>;
}

/**
 * Creates a pool with one thread per concurrent `migrate` call; a thread starts when it is first needed. SQLite waits
 * for the disk several times per file, and in a single thread those waits would serialise all migrations.
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
      // An error of the thread itself, such as a failed import, rejects here.
      const [reply] = (await once(worker, 'message')) as [MigrationReply];
      idle.push(worker);
      if ('result' in reply) return reply.result;
      throw toError(reply.failure);
    },
    async close() {
      await Promise.all(started.map((worker) => worker.terminate()));
    },
  };
}

function toError({ name, message, cause }: Extract<MigrationReply, { failure: unknown }>['failure']): Error {
  if (name === 'NewerSchemaError') return new NewerSchemaError();
  const reason = cause === undefined ? undefined : new Error(cause);
  if (name === 'DatabaseUnavailableError') return new DatabaseUnavailableError(message, reason);
  return new Error(message, reason === undefined ? {} : { cause: reason });
}
