import { migrate } from '../../src/db/migrate.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { onServer } from './on-server.ts';

/** The database on the run's PostgreSQL that has the platform's newest schema and no rows. */
export const platformTemplate = 'platform_template';

/** Makes the template on a server that has none. */
export async function createPlatformTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, [
    `create database ${platformTemplate} template template0 encoding utf8 lc_collate 'C' lc_ctype 'C'`,
  ]);
  const url = new URL(serverUrl);
  url.pathname = `/${platformTemplate}`;
  const db = openPostgres({ url: url.href });
  try {
    await migrate(db, platformMigrations);
  } finally {
    await db.close();
  }
}
