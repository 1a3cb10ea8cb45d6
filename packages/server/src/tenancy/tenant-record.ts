import type { PlatformDb, PreparedRead, TenantDb } from '../db/database.ts';
import { TenantMovingError } from '../db/errors.ts';
import type { TenantsTable } from '../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../db/tables/platform-tables.ts';
import type { Timestamp } from '../lib/clock.ts';
import { AppError } from '../lib/error.ts';
import { memoizeText } from '../lib/memoize.ts';
import type { Placement } from './placement.ts';
import type { PlanLimits, Tenant } from './tenant.ts';

/**
 * A tenant's row in the platform database, with the limits of its plan; read before the tenant's database is opened.
 */
export interface TenantRecord extends Placement {
  readonly name: string;
  readonly status: TenantsTable['status'];
  readonly plan_code: string;
  /** The tenant whose test copy this one is; null: a live tenant. */
  readonly live_tenant_id: string | null;
  readonly limits_json: string;
  readonly plan_limits_json: string;
  readonly writes_paused_until: TenantsTable['writes_paused_until'];
}

/** The columns of a `TenantRecord` in a query over `tenants` joined with `plans`. */
export const tenantRecordColumns = [
  'tenants.id as id',
  'tenants.name as name',
  'tenants.status as status',
  'tenants.plan_code as plan_code',
  'tenants.live_tenant_id as live_tenant_id',
  'tenants.limits_json as limits_json',
  'tenants.placement as placement',
  'tenants.database_name as database_name',
  'tenants.database_secret as database_secret',
  'tenants.writes_paused_until as writes_paused_until',
  'plans.limits_json as plan_limits_json',
] as const;

const tenantById: PreparedRead<PlatformTables, TenantRecord> = {
  name: 'tenant-by-id',
  build: (db, parameter) =>
    db
      .selectFrom('tenants')
      .innerJoin('plans', 'plans.code', 'tenants.plan_code')
      .select(tenantRecordColumns)
      .where('tenants.id', '=', parameter(0)),
};

/** Reads one tenant's row; undefined when there is no such tenant. */
export function findTenantRecord(platform: PlatformDb, tenantId: string): Promise<TenantRecord | undefined> {
  return platform.first(tenantById, [tenantId]);
}

/**
 * Throws `TENANT.STATUS.SUSPENDED` or `TENANT.STATUS.CLOSED` for a tenant that is not active. Every surface uses it, so
 * all of them respond in the same way.
 */
export function assertTenantActive(record: Pick<TenantRecord, 'status'>): void {
  if (record.status === 'active') return;
  if (record.status === 'suspended') throw tenantSuspended(null);
  throw new AppError('TENANT.STATUS.CLOSED', 'This tenant is closed. Contact support if you did not expect this.');
}

/** Throws 409 `BILLING.TEST_TENANT` for a test tenant, which is free and in no revenue. */
export function assertBillable({ live_tenant_id }: Pick<TenantRecord, 'live_tenant_id'>): void {
  if (live_tenant_id === null) return;
  throw new AppError('BILLING.TEST_TENANT', 'A test tenant is free and cannot buy anything. Use its live tenant.');
}

/**
 * Returns the error for a suspended tenant. `paymentUrl` is the page on which its open invoice is paid, for a caller who
 * may see it; else null.
 */
export function tenantSuspended(paymentUrl: string | null): AppError {
  const message = 'This tenant is suspended. Pay outstanding invoices or contact support.';
  const details = paymentUrl === null ? {} : { details: [{ field: 'payment_url', message: paymentUrl }] };
  return new AppError('TENANT.STATUS.SUSPENDED', message, details);
}

/** Throws a `TenantMovingError` while the tenant is being moved and its writes are paused. */
export function assertWritable(
  { writes_paused_until }: Pick<TenantRecord, 'writes_paused_until'>,
  now: Timestamp,
): void {
  if (writes_paused_until !== null && writes_paused_until > now) throw new TenantMovingError();
}

const parsePlanLimits = memoizeText((text): PlanLimits => JSON.parse(text));
const parseOverrides = memoizeText((text): Partial<PlanLimits> => JSON.parse(text));

/** Returns the limits of the tenant's plan, with the tenant's own overrides applied. */
export function limitsOf(record: Pick<TenantRecord, 'limits_json' | 'plan_limits_json'>): PlanLimits {
  const planLimits = parsePlanLimits(record.plan_limits_json);
  return record.limits_json === '{}' ? planLimits : { ...planLimits, ...parseOverrides(record.limits_json) };
}

/** Returns a tenant with its limits as they are in the record. */
export function tenantOf(
  record: Pick<TenantRecord, 'id' | 'name' | 'limits_json' | 'plan_limits_json'>,
  db: TenantDb,
): Tenant {
  return { id: record.id, name: record.name, limits: limitsOf(record), db };
}
