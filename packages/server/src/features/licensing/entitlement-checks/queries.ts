import type { NotNull } from 'kysely';
import type { PreparedRead } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';

/** The grants of a license and of its policy, and the columns that decide whether the license is usable. */
export type CheckRow = Pick<
  LicensesTable,
  'id' | 'product_id' | 'status' | 'created_at' | 'starts_at' | 'expires_at' | 'entitlements_json'
> &
  Pick<PoliciesTable, 'expiry_strategy' | 'grace_days'> & {
    readonly policy_entitlements_json: string;
    readonly timezone: string;
  };

/** Reads a license that is not deleted, with its policy and the tenant's timezone. Arguments: license key. */
export const findForCheck = checkBy('key');

/** Does the same. Arguments: license id. */
export const findForCheckById = checkBy('id');

function checkBy(column: 'key' | 'id'): PreparedRead<TenantTables, CheckRow> {
  return {
    name: `find_for_check_by_${column}`,
    build: (db, parameter) =>
      db
        .selectFrom('licenses')
        .innerJoin('policies', 'policies.id', 'licenses.policy_id')
        .select([
          'licenses.id as id',
          'licenses.product_id as product_id',
          'licenses.status as status',
          'licenses.created_at as created_at',
          'licenses.starts_at as starts_at',
          'licenses.expires_at as expires_at',
          'licenses.entitlements_json as entitlements_json',
          'policies.expiry_strategy as expiry_strategy',
          'policies.grace_days as grace_days',
          'policies.entitlements_json as policy_entitlements_json',
        ])
        .select((eb) => eb.selectFrom('settings').select('timezone').as('timezone'))
        .$narrowType<{ timezone: NotNull }>()
        .where(`licenses.${column}`, '=', parameter(0))
        .where('licenses.deleted_at', 'is', null),
  };
}
