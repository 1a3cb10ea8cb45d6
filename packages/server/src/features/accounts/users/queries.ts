import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PlatformDb } from '../../../db/database.ts';
import { isPostgres } from '../../../db/dialect.ts';
import { type Filter, type ListPosition, planListFilters, type Rows } from '../../../db/search/list-filter-plan.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** A user's row, with the time since which a login requires a code. */
export interface UserRow extends UsersTable {
  readonly two_factor_confirmed_at: Timestamp | null;
}

/** Greater than every character that can follow a prefix. */
const afterEveryCharacter = '\u{10FFFF}';

/** Returns a filter for users by id, or by a prefix of the address, the name, or the name after its first word. */
function userFilter(platform: PlatformDb, text: string): Filter {
  const prefix = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const end = prefix + afterEveryCharacter;
  const texts = searchedTexts(platform);
  const ranges = texts.map((value) => sql<SqlBool>`(${value} >= ${prefix} and ${value} < ${end})`);
  return {
    condition: sql<SqlBool>`(users.id = ${text} or ${sql.join(ranges, sql` or `)})`,
    candidates(limit) {
      const found = texts.map(
        (value, index) => sql`
          select * from (select created_at, id from users where ${ranges[index]} order by ${value} limit ${limit})
            as ${sql.ref(`found_${index}`)}`,
      );
      const byId = sql`select created_at, id from users where id = ${text}`;
      const all = sql.join([byId, ...found], sql` union all `);
      // The outer limit ends the read of the further indexes when the first ones have found enough.
      return sql<ListPosition>`(select created_at, id from (${all}) as found limit ${limit})`;
    },
  };
}

/** The expressions of the indexes `users_email_prefix`, `users_name_prefix` and `users_name_rest_prefix`. */
function searchedTexts(platform: PlatformDb): readonly RawBuilder<string>[] {
  return isPostgres(platform.query)
    ? [
        sql`(users.email collate "C")`,
        sql`lower(users.name collate "C")`,
        sql`lower(substr(users.name collate "C", strpos(users.name, ' ') + 1))`,
      ]
    : [sql`(users.email)`, sql`lower(users.name)`, sql`lower(substr(users.name, instr(users.name, ' ') + 1))`];
}

function withTwoFactor(users: Rows<PlatformTables, 'users'>) {
  return users
    .selectAll('users')
    .select((eb) =>
      eb
        .selectFrom('two_factor')
        .select('two_factor.confirmed_at')
        .where('two_factor.ability', '=', 'tenant')
        .whereRef('two_factor.subject_id', '=', 'users.id')
        .as('two_factor_confirmed_at'),
    );
}

/** Returns one page of the users that match the search, newest first. */
export async function listUsers(
  platform: PlatformDb,
  { q, ...page }: PageRequest & { readonly q?: string | undefined },
): Promise<UserRow[]> {
  const filters = q === undefined ? [] : [userFilter(platform, q)];
  const { query, timeColumn } = await planListFilters(platform.query, 'users', filters);
  return await paginate(withTwoFactor(query), page, timeColumn).execute();
}

/** Returns a user, disabled or not. */
export function findUser(platform: PlatformDb, id: string): Promise<UserRow | undefined> {
  return withTwoFactor(platform.query.selectFrom('users')).where('users.id', '=', id).executeTakeFirst();
}
