import { type ExpressionBuilder, type NotNull, sql } from 'kysely';
import type { PreparedRead } from '../../../db/database.ts';
import { isPostgres } from '../../../db/dialect.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable, ProductsTable } from '../../../db/tables/tenant/policies.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Prefixed<Prefix extends string, Columns> = {
  readonly [Name in keyof Columns & string as `${Prefix}${Name}`]: Columns[Name];
};
type Nulls<Columns> = { readonly [Name in keyof Columns]: Columns[Name] | null };

type JudgedPolicy = Pick<
  PoliciesTable,
  | 'expiry_basis'
  | 'expiry_strategy'
  | 'grace_days'
  | 'max_activations'
  | 'activation_overage_percent'
  | 'require_activation'
  | 'fingerprint_matching'
  | 'entitlements_json'
>;
type PresentedActivation = Omit<ActivationsTable, 'license_id' | 'components_json' | 'released_at' | 'release_reason'>;

/** Everything that a verdict depends on. The license's columns keep their names; the others have a prefix. */
export type ValidationRow = LicensesTable & {
  readonly activations_count: number;
  /** The tenant's timezone, in which the periods of metered entitlements begin. */
  readonly timezone: string;
} & Prefixed<'policy_', JudgedPolicy> &
  Prefixed<'product_', Pick<ProductsTable, 'code'>> &
  Nulls<Prefixed<'activation_', PresentedActivation>>;

type Licenses = ExpressionBuilder<TenantTables, 'licenses'>;

/** The activations of the license that are not released, whether or not their lease has ended. */
function heldActivations(eb: Licenses) {
  return eb
    .selectFrom('activations as counted')
    .whereRef('counted.license_id', '=', 'licenses.id')
    .where('counted.released_at', 'is', null);
}

/** The number of active activations of the license at `now`. */
function activeActivations(eb: Licenses, now: Timestamp) {
  return heldActivations(eb)
    .select((count) => count.fn.countAll<number>().as('count'))
    .where((lease) =>
      lease.or([lease('counted.lease_expires_at', 'is', null), lease('counted.lease_expires_at', '>', now)]),
    )
    .as('activations_count');
}

/**
 * The same for SQLite. While no activation of the tenant has a lease, the index in which the fingerprint was found also
 * gives the count, so the page of another index, which is rarely in the page cache of a large file, is not read.
 * PostgreSQL would plan this for longer, and might search all activations for a lease.
 */
function activeActivationsInFewPages(eb: Licenses, now: Timestamp) {
  const held = heldActivations(eb)
    .select((count) => count.fn.countAll<number>().as('count'))
    // Always true: SQLite then prefers the index of fingerprints.
    .where('counted.fingerprint', '>', sql.lit(''));
  const ended = heldActivations(eb)
    .select((count) => count.fn.countAll<number>().as('count'))
    .where('counted.lease_expires_at', '<=', now);
  const firstLeaseEnd = eb
    .selectFrom('activations as leased')
    .select((lease) => lease.fn.min('leased.lease_expires_at').as('end'))
    .where('leased.released_at', 'is', null)
    .where('leased.lease_expires_at', 'is not', null);
  const endedOrNone = eb.case().when(firstLeaseEnd, 'is', null).then(0).else(ended).end();
  return eb(held, '-', endedOrNone).as('activations_count');
}

/**
 * The single read of the hot path: the license with this key, its policy and product, the held activation of the
 * fingerprint, and the number of active activations. Every table is read through an index.
 * Arguments: key, fingerprint, now.
 */
export const findForValidation: PreparedRead<TenantTables, ValidationRow> = {
  name: 'find_for_validation',
  build: (db, parameter) =>
    db
      .selectFrom('licenses')
      .innerJoin('policies', 'policies.id', 'licenses.policy_id')
      .innerJoin('products', 'products.id', 'licenses.product_id')
      .leftJoin('activations', (join) =>
        join
          .onRef('activations.license_id', '=', 'licenses.id')
          .on('activations.fingerprint', '=', parameter(1))
          .on('activations.released_at', 'is', null),
      )
      .selectAll('licenses')
      .select([
        'policies.expiry_basis as policy_expiry_basis',
        'policies.expiry_strategy as policy_expiry_strategy',
        'policies.grace_days as policy_grace_days',
        'policies.max_activations as policy_max_activations',
        'policies.activation_overage_percent as policy_activation_overage_percent',
        'policies.require_activation as policy_require_activation',
        'policies.fingerprint_matching as policy_fingerprint_matching',
        'policies.entitlements_json as policy_entitlements_json',
        'products.code as product_code',
        'activations.id as activation_id',
        'activations.fingerprint as activation_fingerprint',
        'activations.name as activation_name',
        'activations.hostname as activation_hostname',
        'activations.platform as activation_platform',
        'activations.ip as activation_ip',
        'activations.last_heartbeat_at as activation_last_heartbeat_at',
        'activations.lease_expires_at as activation_lease_expires_at',
        'activations.metadata_json as activation_metadata_json',
        'activations.created_at as activation_created_at',
      ])
      .select((eb) =>
        isPostgres(db) ? activeActivations(eb, parameter(2)) : activeActivationsInFewPages(eb, parameter(2)),
      )
      .select((eb) => eb.selectFrom('settings').select('timezone').as('timezone'))
      .$narrowType<{ activations_count: NotNull; timezone: NotNull }>()
      .where('licenses.key', '=', parameter(0))
      .where('licenses.deleted_at', 'is', null),
};

/** Reads the newest activation of a fingerprint, active or released. Arguments: license id, fingerprint. */
export const findLastActivation: PreparedRead<TenantTables, ActivationsTable> = {
  name: 'find_last_activation',
  build: (db, parameter) =>
    db
      .selectFrom('activations')
      .selectAll()
      .where('license_id', '=', parameter(0))
      .where('fingerprint', '=', parameter(1))
      .orderBy('created_at', 'desc')
      .limit(1),
};
