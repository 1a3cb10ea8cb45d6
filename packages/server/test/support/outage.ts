import { inject } from 'vitest';
import { engine, type TestApp } from './harness.ts';
import { onServer } from './platform-template.ts';

/**
 * Makes the platform database unavailable to a running service. Returns a function that restores it: on PostgreSQL the
 * service reconnects; the embedded database stays closed.
 */
export async function cutPlatformDatabase(app: TestApp): Promise<() => Promise<void>> {
  const { databaseUrl } = app.config;
  if (engine === 'sqlite' || databaseUrl === null) {
    await app.services.platform.close();
    return () => Promise.resolve();
  }
  const name = new URL(databaseUrl).pathname.slice(1);
  await onServer(inject('postgresUrl'), [
    `alter database ${name} with allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  ]);
  return () => onServer(inject('postgresUrl'), [`alter database ${name} with allow_connections true`]);
}
