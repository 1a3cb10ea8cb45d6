import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import type { PlatformTables } from '../../src/db/tables/platform-tables.ts';
import { createPlatformDatabase, platformTemplate } from './platform-template.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a private server, with a superuser. Only the project `postgres` provides it. */
    postgresUrl: string;
  }
}

/** Starts PostgreSQL. Vitest calls this function once before the project's suites, and the returned one after them. */
export default async function setUpPostgres(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await createPlatformTemplate(server.url);
  project.provide('postgresUrl', server.url);
  return server.stop;
}

/** Creates the template of platform databases: migrating a database takes 250 ms, copying one about 60 ms. */
async function createPlatformTemplate(serverUrl: string): Promise<void> {
  const url = await createPlatformDatabase(serverUrl, platformTemplate, 'template0');
  const template = openPostgres<PlatformTables>({ url });
  await migrate(template, platformMigrations);
  await template.close();
}
