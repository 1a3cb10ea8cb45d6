import type { CopyConnection } from './postgres-catalogue.ts';

/** The statements that remove a part of the schema and that restore it. */
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
 * Removes the foreign keys and all indexes except those of primary keys, in the caller's transaction: rows with random
 * keys change pages all over an index, and building the index at the end costs a fraction of that. Resolves with a
 * function that restores them and throws if rows violate one of them.
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
