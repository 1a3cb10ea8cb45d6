import type { Kysely } from 'kysely';
import { at, empty, id, idOf, insertMany, kinds, manyRows, numbered, text, zero } from './numbered-rows.ts';

/** Inserts changes of many licenses batches and imports that have ended. */
export async function fillBulk(db: Kysely<never>): Promise<void> {
  const requested = { requested_by_type: text('user'), requested_by_id: text(idOf('user', 1)) };
  await insertMany(db, 'bulk_operations', manyRows, {
    ...{ id: id(kinds.record), action_json: empty, filter_json: empty, notifies_holders: zero, state: text('done') },
    ...{ changed: zero, unchanged: zero, refused: zero, refusals_json: text('[]'), ...requested },
    ...{ created_at: at, ended_at: at },
  });
  await insertMany(db, 'bulk_changes', manyRows, {
    ...{ operation_id: text(idOf('record', 1)), license_id: id(kinds.license), changes_json: text('[]') },
    created_at: at,
  });
  await insertMany(db, 'license_batches', manyRows, {
    ...{
      id: id(kinds.record),
      name: numbered('Batch '),
      policy_id: text(idOf('policy', 1)),
      count: zero,
      issued: zero,
    },
    ...{ state: text('done'), ...requested, created_at: at, ended_at: at },
  });
  await insertMany(db, 'license_imports', manyRows, {
    ...{ id: id(kinds.record), state: text('done'), total: zero, done: zero, created: zero, failed: zero },
    ...{ errors_json: text('[]'), created_at: at, updated_at: at, ended_at: at },
  });
}
