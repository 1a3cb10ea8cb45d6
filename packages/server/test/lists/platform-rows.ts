import type { Kysely } from 'kysely';
import { at, empty, id, insertMany, kinds, numbered } from './numbered-rows.ts';

/** Makes feature flags, `flag-1` and on. */
export function fillFlags(db: Kysely<never>, count: number): Promise<void> {
  return insertMany(db, 'feature_flags', count, {
    id: id(kinds.record),
    key: numbered('flag-'),
    definition_json: empty,
    created_at: at,
    updated_at: at,
  });
}
