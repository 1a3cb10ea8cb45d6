import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import type { TenantTables } from '../../src/db/tables.ts';
import { selectNotifications } from '../../src/features/notifications/queries.ts';
import { toPage } from '../../src/http/cursor.ts';
import { newId } from '../../src/lib/ids.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;
let db: Database<TenantTables>;

beforeAll(async () => {
  fresh = await freshDatabase();
  db = fresh.open<TenantTables>();
  await migrate(db, tenantMigrations);
});

afterAll(() => fresh.remove());

const position = { id: newId(), created_at: '2026-11-20T12:00:00.000000Z' };
const cursor = toPage([position, position], 1).nextCursor ?? undefined;

const combinations = [undefined, true, false].flatMap((unread) =>
  [undefined, 'license.expiring'].flatMap((type) =>
    [undefined, 'warning' as const].flatMap((severity) =>
      [undefined, cursor].map((from) => ({ unread, type, severity, cursor: from })),
    ),
  ),
);

test.each(combinations)(
  'a page with unread $unread, type $type, severity $severity and cursor $cursor costs a page',
  async ({ unread, type, severity, cursor: from }) => {
    const filters = {
      ...(unread !== undefined && { unread }),
      ...(type !== undefined && { type }),
      ...(severity !== undefined && { severity }),
      ...(from !== undefined && { cursor: from }),
    };
    const plan = await selectNotifications(db.query, filters).explain<{ detail: string }>(undefined, sql`query plan`);
    const state = unread === undefined ? [] : [unread ? 'unread' : 'read'];
    const columns = [...(type ? ['type'] : []), ...(severity ? ['severity'] : []), 'created_at', 'id'];
    const index = ['notifications', ...state, ...columns].join('_');
    const conditions = [...(type ? ['type=?'] : []), ...(severity ? ['severity=?'] : [])];
    if (from !== undefined) conditions.push('(created_at,id)<(?,?)');
    const search = conditions.length > 0 ? ` (${conditions.join(' AND ')})` : '';
    const verb = conditions.length > 0 ? 'SEARCH' : 'SCAN';
    // One step and no sorting: the index holds nothing but rows of the list, in its order.
    expect(plan.map(({ detail }) => detail)).toEqual([`${verb} notifications USING INDEX ${index}${search}`]);
  },
);
