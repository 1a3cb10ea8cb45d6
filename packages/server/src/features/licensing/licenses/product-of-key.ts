import type { PreparedRead, TenantDb } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts';
import { readByTypedKey } from './license-key.ts';

const findProductId: PreparedRead<TenantTables, Pick<LicensesTable, 'product_id'>> = {
  name: 'find_product_of_key',
  build: (db, parameter) =>
    db.selectFrom('licenses').select('product_id').where('key', '=', parameter(0)).where('deleted_at', 'is', null),
};

/** Returns the id of the product of the license with this key, as a person typed or pasted it; undefined without one. */
export function findProductOfKey(db: TenantDb, key: string): MaybePromise<string | undefined> {
  const found = readByTypedKey(key, (spelling) => db.first(findProductId, [spelling]));
  return andThen(found, (row) => row?.product_id);
}
