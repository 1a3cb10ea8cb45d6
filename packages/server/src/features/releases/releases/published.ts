import { sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';

/** Returns a subquery for a published release of the product of each row of `licenses`; null: the product has none. */
export function publishedReleaseId(query: TenantDb['query']) {
  return query
    .selectFrom('releases')
    .select('releases.id')
    .where('releases.product_id', '=', sql.ref<string>('licenses.product_id'))
    .where('releases.status', '=', 'published')
    .limit(1)
    .as('published_release_id');
}
