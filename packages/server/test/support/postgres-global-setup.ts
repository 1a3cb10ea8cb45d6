import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import type { PlatformTables } from '../../src/db/tables/platform-tables.ts';
import { createPlatformDatabase, platformTemplate } from './platform-template.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A private server's URL with a superuser, in the project `postgres` only: `inject('postgresUrl')`. */
    postgresUrl: string;
  }
}

/** Vitest calls this once before the project's suites, and what it returns once after them. */
export default async function setUpPostgres(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await createPlatformTemplate(server.url);
  project.provide('postgresUrl', server.url);
  return server.stop;
}

/** Migrating a platform takes a quarter of a second; a copy of one that is migrated takes a quarter of that. */
async function createPlatformTemplate(serverUrl: string): Promise<void> {
  const url = await createPlatformDatabase(serverUrl, platformTemplate, 'template0');
  const template = openPostgres<PlatformTables>({ url });
  await migrate(template, platformMigrations);
  await template.close();
}
