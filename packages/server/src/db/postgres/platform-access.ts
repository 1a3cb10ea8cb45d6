import { sql } from 'kysely';
import type { PlatformDb } from '../database.ts';
import { lockForMigration } from '../dialect.ts';

interface Access {
  readonly name: string;
  readonly is_open: boolean;
  readonly is_own: boolean;
}

const readAccess = sql<Access>`
  select datname as name,
    has_database_privilege('public', oid, 'connect') as is_open,
    pg_has_role(datdba, 'usage') as is_own
  from pg_database where datname = current_database()`;

/**
 * Revokes the right of PUBLIC to connect to the platform's database: by default PostgreSQL lets every role connect, and
 * each tenant has a role. Does nothing on SQLite, or if this role does not own the database, which `licensing doctor`
 * reports.
 */
export async function keepOtherRolesOut(platform: PlatformDb): Promise<void> {
  if (platform.engine !== 'postgres') return;
  const { rows } = await readAccess.execute(platform.query);
  if (!rows.some(isClosable)) return;
  await platform.transaction(async (tx) => {
    // Without the lock two nodes that start at the same time would fail on the same row of the catalogue.
    await lockForMigration(tx);
    const { rows: now } = await readAccess.execute(tx);
    for (const { name } of now.filter(isClosable))
      await sql`revoke all on database ${sql.id(name)} from public`.execute(tx);
  });
}

function isClosable(access: Access): boolean {
  return access.is_open && access.is_own;
}
