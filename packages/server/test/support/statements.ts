import type { Kysely, QueryExecutor } from 'kysely';
import type { TestApp } from './harness.ts';

/**
 * Returns the statements that the platform's query builder executes during `work` and for its wake-ups, each as its verb
 * and table. The job that sends mail is deleted first: `work` writes a wake-up for it only if the job does not exist.
 */
export async function statementsOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  const { platform, wakeUps } = app.services;
  await wakeUps.flush();
  await platform.query.deleteFrom('jobs').where('kind', '=', 'mail').execute();
  return await statementsIn(platform.query, async () => {
    await work();
    await wakeUps.flush();
  });
}

/** Returns the statements that a query builder, also one of a tenant, executes during `work`. */
export async function statementsIn<Tables>(query: Kysely<Tables>, work: () => Promise<unknown>): Promise<string[]> {
  const log = logOf(query.getExecutor());
  log.statements = [];
  await work();
  const { statements } = log;
  log.statements = [];
  return statements;
}

interface Log {
  statements: string[];
}

const logs = new WeakMap<QueryExecutor, Log>();

function logOf(executor: QueryExecutor): Log {
  let log = logs.get(executor);
  if (log === undefined) {
    log = { statements: [] };
    logs.set(executor, log);
    watch(executor, log);
  }
  return log;
}

function watch(executor: QueryExecutor, log: Log): void {
  const execute = executor.executeQuery.bind(executor);
  const withConnectionProvider = executor.withConnectionProvider.bind(executor);
  executor.executeQuery = (query, ...rest) => {
    const [, verb, table] = /^(\w+)(?:.*? (?:from|into|update))? "?(\w+)"?/s.exec(query.sql) ?? [];
    log.statements.push(`${verb} ${table}`);
    return execute(query, ...rest);
  };
  executor.withConnectionProvider = (provider) => {
    const ofTransaction = withConnectionProvider(provider);
    watch(ofTransaction, log);
    return ofTransaction;
  };
}
