import type { CopyConnection } from './postgres-catalogue.ts';

/** Statements that take something of the schema away, and that bring it back. */
interface Removable {
  readonly remove: string;
  readonly restore: string;
}

const foreignKeysSql = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by conname`;

const indexesSql = `
  select format('drop index %s', i.indexrelid::regclass) as remove, pg_get_indexdef(i.indexrelid) as restore
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid) order by i.indexrelid`;

/**
 * Takes the foreign keys and all indexes but those of primary keys away, in the caller's transaction: rows of random keys
 * touch pages all over an index, and sorting them once costs a fraction of that. Answers what makes them anew, which
 * fails for rows that contradict each other.
 */
export async function removeIndexes(connection: CopyConnection): Promise<() => Promise<void>> {
  const indexes = await connection.query<Removable & Record<string, unknown>>(indexesSql);
  const foreignKeys = await connection.query<Removable & Record<string, unknown>>(foreignKeysSql);
  for (const { remove } of [...foreignKeys, ...indexes]) await connection.query(remove);
  return async () => {
    await connection.query("set local maintenance_work_mem = '128MB'");
    for (const { restore } of [...indexes, ...foreignKeys]) await connection.query(restore);
  };
}
