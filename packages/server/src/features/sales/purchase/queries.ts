import type { TenantDb } from '../../../db/database.ts';
import { publishedReleaseId } from '../../releases/releases/published.ts';

/** A sale of more than this has licenses that the page does not count; a sale issues at most 1,000 of one item. */
const rowsMax = 1_000;

/**
 * Returns what is known of a checkout: a row per license of its sale, in the order of issue, or one row without a license.
 * Empty for an unknown checkout. One statement, so that the answer takes as long for an unknown checkout.
 */
export function listPurchaseRows({ query }: Pick<TenantDb, 'query'>, connectionId: string, checkoutId: string) {
  return query
    .selectFrom('sales')
    .leftJoin('sale_licenses', 'sale_licenses.sale_id', 'sales.id')
    .leftJoin('licenses', (join) =>
      join.onRef('licenses.id', '=', 'sale_licenses.license_id').on('licenses.deleted_at', 'is', null),
    )
    .leftJoin('policies', 'policies.id', 'licenses.policy_id')
    .leftJoin('products', 'products.id', 'licenses.product_id')
    .select([
      'sales.created_at',
      'sales.state_json',
      'sales.problem',
      'sale_licenses.license_id as issued_id',
      'licenses.id as license_id',
      'licenses.key',
      'licenses.status',
      'licenses.holder_email',
      'licenses.product_id',
      'policies.name as policy_name',
      'products.name as product_name',
    ])
    .select(publishedReleaseId(query))
    .where('sales.connection_id', '=', connectionId)
    .where('sales.checkout_id', '=', checkoutId)
    .orderBy('sale_licenses.created_at')
    .orderBy('sale_licenses.license_id')
    .limit(rowsMax)
    .execute();
}
