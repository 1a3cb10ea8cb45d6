import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { freshDatabase } from '../support/database.ts';

interface Notes {
  notes: { id: number; text: string };
}

const secret = 'data that must be erased';
const folder = mkdtempSync(join(tmpdir(), 'licensing-forget-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function createNotes(db: ReturnType<typeof openSqlite<Notes>>): Promise<void> {
  await db.query.schema
    .createTable('notes')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .execute();
  for (let id = 1; id <= 300; id += 1) {
    await db.query
      .insertInto('notes')
      .values({ id, text: `${secret} ${id} ${'.'.repeat(id * 5)}` })
      .execute();
  }
}

async function findInFiles(name: string): Promise<string[]> {
  const files = readdirSync(folder).filter((file) => file.startsWith(name));
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')));
  return files.filter((_file, index) => contents[index]?.includes(secret));
}

test.each([true, false])(
  'forgetDeleted removes deleted and overwritten text from every file (rebuild: %s)',
  async (rebuild) => {
    const name = `notes-${rebuild}.db`;
    const db = openSqlite<Notes>(join(folder, name), { create: true });
    try {
      await createNotes(db);
      await db.query.deleteFrom('notes').where('id', '<=', 250).execute();
      await db.query.updateTable('notes').set({ text: 'nothing' }).execute();
      expect(await findInFiles(name)).not.toEqual([]);
      await db.forgetDeleted({ rebuild });
      expect(await findInFiles(name)).toEqual([]);
      expect(await db.query.selectFrom('notes').selectAll().execute()).toHaveLength(50);
    } finally {
      await db.close();
    }
  },
);

test('reads continue during forgetDeleted, and concurrent writes are kept', async () => {
  const fresh = await freshDatabase();
  try {
    const db = fresh.open<Notes>();
    await createNotes(db);
    const write = (id: number) => db.transaction((tx) => tx.insertInto('notes').values({ id, text: 'new' }).execute());
    await Promise.all([
      write(1001),
      db.forgetDeleted({ rebuild: true }),
      write(1002),
      db.query.selectFrom('notes').selectAll().where('id', '=', 1).execute(),
      db.query.insertInto('notes').values({ id: 1003, text: 'new' }).execute(),
    ]);
    expect(await db.query.selectFrom('notes').selectAll().where('text', '=', 'new').execute()).toHaveLength(3);
  } finally {
    await fresh.remove();
  }
});
