import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import type { Database } from '../db/database.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import { AppError } from '../lib/error.ts';
import { type PageRequest, paginate, toPage } from './cursor.ts';

interface Row {
  readonly id: string;
  readonly created_at: string;
}

interface Tables {
  things: Row;
}

const idOf = (index: number) => `018f2f3a-0000-7000-8000-${String(index).padStart(12, '0')}`;
/** Three rows share each timestamp, so that the id determines the order. */
const rowOf = (index: number): Row => ({
  id: idOf(index),
  created_at: `2026-11-20T17:42:00.${String(Math.floor(index / 3)).padStart(6, '0')}Z`,
});

const folder = mkdtempSync(join(tmpdir(), 'cursor-'));
const opened: Database<Tables>[] = [];
afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()));
  rmSync(folder, { recursive: true });
});

async function database(rowCount: number): Promise<Database<Tables>> {
  const db = openSqlite<Tables>(join(folder, `${opened.length}.db`), { create: true });
  opened.push(db);
  await sql`create table things (id text primary key, created_at text not null)`.execute(db.query);
  const rows = Array.from({ length: rowCount }, (_, index) => rowOf(index));
  if (rowCount > 0) await db.query.insertInto('things').values(rows).execute();
  return db;
}

async function list(db: Database<Tables>, page: PageRequest) {
  const rows = await paginate(db.query.selectFrom('things').selectAll(), page, 'things.created_at').execute();
  return toPage(rows, page.limit);
}

it.each([
  [0, 3],
  [1, 3],
  [3, 3],
  [10, 3],
  [26, undefined],
])('each of %i rows is listed once, newest first, in pages of %s', async (count, limit) => {
  const db = await database(count);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(db, { limit, cursor });
    expect(page.rows.length).toBeLessThanOrEqual(limit ?? 25);
    seen.push(...page.rows.map((row) => row.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(Array.from({ length: count }, (_, index) => idOf(count - 1 - index)));
});

it('the page after a cursor does not change when newer rows are added', async () => {
  const db = await database(10);
  const { nextCursor } = await list(db, { limit: 4 });
  await db.query
    .insertInto('things')
    .values({ id: idOf(99), created_at: '2027-01-01T00:00:00.000000Z' })
    .execute();
  const next = await list(db, { limit: 2, cursor: nextCursor ?? '' });
  expect(next.rows.map((row) => row.id)).toEqual([idOf(5), idOf(4)]);
});

it('paginate orders by the given time column', () => {
  const rows = [
    { id: idOf(1), occurred_at: '2026-11-20T17:42:00.000001Z' },
    { id: idOf(0), occurred_at: '2026-11-20T17:42:00.000000Z' },
  ];
  expect(toPage(rows, 1, 'occurred_at').nextCursor).not.toBeNull();
});

const encode = (text: string) => Buffer.from(text).toString('base64url');
const good = encode(`${rowOf(1).created_at} ${idOf(1)}`);
it.each([
  ['nothing', ''],
  ['no base64url', '!!!'],
  ['padding', `${good}=`],
  ['appended text', `${good}a`],
  ['cut off', good.slice(0, -3)],
  ['no id', encode(rowOf(1).created_at)],
  ['no time', encode(` ${idOf(1)}`)],
  ['an invalid time', encode(`2026-13-20T17:42:00.000000Z ${idOf(1)}`)],
  ['a time in another format', encode(`2026-11-20T17:42:00Z ${idOf(1)}`)],
  ['an invalid id', encode(`${rowOf(1).created_at} 1`)],
  ['SQL', encode(`${rowOf(1).created_at} ' or 1=1 --`)],
  ['more than it needs', encode(`${rowOf(1).created_at} ${idOf(1)} x`)],
])('a cursor with %s is a 422 that names the field', async (_title, cursor) => {
  const { query } = await database(0);
  const attempt = () => paginate(query.selectFrom('things').selectAll(), { cursor });
  expect(attempt).toThrow(AppError);
  try {
    attempt();
  } catch (error) {
    expect((error as AppError).details?.[0]?.field).toBe('cursor');
  }
});
