import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../../lib/background-priority.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import type { ThreadFailure, ThreadReply, ThreadTask } from './bulk-threads.ts';
import { openSqliteHandle, type SqliteHandle, type StatementResult } from './handle.ts';

// The code of a thread that has one connection to a SQLite file at a time and runs its statements one after another.

const noResult: StatementResult = { rows: [], changes: 0 };
let handle: SqliteHandle | undefined;

function opened(): SqliteHandle {
  if (handle === undefined) throw new Error('The thread has no open database.');
  return handle;
}

function perform(task: ThreadTask): StatementResult {
  switch (task.kind) {
    case 'open':
      handle = openSqliteHandle(task.path, task.options);
      return noResult;
    case 'execute':
      opened().execute(task.sql);
      return noResult;
    case 'run':
      // SQLite rolls back a transaction on some errors (disk full, I/O). Later statements must not run outside it.
      if (task.isInTransaction && !opened().isInTransaction) {
        throw new DatabaseUnavailableError('The transaction was rolled back after an earlier error: start it again.');
      }
      return opened().run(task.sql, task.parameters);
    case 'close':
      handle?.close();
      handle = undefined;
      return noResult;
  }
}

/** Structured cloning drops the class and the own fields of an error, so a failure carries the required fields. */
function toFailure(error: unknown): ThreadFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), fields: {} };
  const { name, message, cause } = error;
  const fields: Record<string, unknown> = {};
  for (const field of ['code', 'errcode', 'errstr']) {
    if (field in error) fields[field] = Reflect.get(error, field);
  }
  return { name, message, fields, ...(cause !== undefined && { cause: toFailure(cause) }) };
}

lowerThreadPriority();

parentPort?.on('message', (task: ThreadTask) => {
  let reply: ThreadReply;
  try {
    reply = { result: perform(task) };
  } catch (error) {
    reply = { failure: toFailure(error) };
  }
  parentPort?.postMessage(reply);
});
