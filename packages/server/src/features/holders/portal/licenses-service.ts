import type { TenantDb } from '../../../db/database.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable, ProductsTable } from '../../../db/tables/tenant/policies.ts';
import type { PageRequest } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { decidingEntry, parseEntitlements } from '../../licensing/entitlements/decision.ts';
import { readEntitlementNames } from '../../licensing/entitlements/service.ts';
import { activationCapacity, excessActivations } from '../../licensing/licenses/activation-capacity.ts';
import { type HeldLicense, listHeldLicenses, readHeldLicense } from '../../licensing/licenses/holder-service.ts';
import { keyHint } from '../../licensing/licenses/license-key.ts';
import { deriveStatus, licenseDenial } from '../../licensing/licenses/license-status.ts';
import { pendingTerm } from '../../licensing/licenses/license-term.ts';
import { findPoliciesById } from '../../licensing/policies/service.ts';
import { renewalUrlOf } from '../../licensing/products/renewal-url.ts';
import { findProductsById } from '../../licensing/products/service.ts';
import type { PortalDevice, PortalLicense } from './schemas.ts';
import type { PortalPermissions } from './settings-schemas.ts';
import { readPermissions } from './settings-service.ts';

/** What the presentation of licenses needs besides their rows. */
interface Context {
  readonly products: ReadonlyMap<string, ProductsTable>;
  readonly policies: ReadonlyMap<string, PoliciesTable>;
  readonly entitlementNames: ReadonlyMap<string, string>;
  readonly permissions: PortalPermissions;
  readonly now: Timestamp;
}

/** Returns one page of the licenses of a holder as the holder sees them, newest first. */
export async function listPortalLicenses(
  db: TenantDb,
  email: string,
  request: PageRequest,
  now: Timestamp,
): Promise<Page<PortalLicense>> {
  const { rows, nextCursor } = await listHeldLicenses(db, email, request, now);
  const context = await contextOf(db, rows, now);
  return { rows: rows.map((row) => present(row, context)), nextCursor };
}

/** Returns a license as its holder sees it. Throws 404 `LICENSE.NOT_FOUND`, also for a license of somebody else. */
export async function readPortalLicense(
  db: TenantDb,
  email: string,
  id: string,
  now: Timestamp,
): Promise<PortalLicense> {
  const row = await readHeldLicense(db, email, id, now);
  return present(row, await contextOf(db, [row], now));
}

async function contextOf(db: TenantDb, rows: readonly HeldLicense[], now: Timestamp): Promise<Context> {
  const idsOf = (column: 'product_id' | 'policy_id') => [...new Set(rows.map((row) => row[column]))];
  return {
    products: await findProductsById(db, idsOf('product_id')),
    policies: await findPoliciesById(db, idsOf('policy_id')),
    entitlementNames: await readEntitlementNames(db),
    permissions: await readPermissions(db),
    now,
  };
}

function present(row: HeldLicense, context: Context): PortalLicense {
  const { permissions, now } = context;
  const product = context.products.get(row.product_id);
  const policy = context.policies.get(row.policy_id);
  if (product === undefined || policy === undefined) throw new Error(`License ${row.id} has no product or policy.`);
  const { limit, admitted } = activationCapacity(row, policy);
  return {
    id: row.id,
    product: { code: product.code, name: product.name },
    policy_name: policy.name,
    is_trial: product.trial_policy_id === policy.id,
    holder_name: row.holder_name,
    order_number: row.order_number,
    key_hint: keyHint(row.key),
    status: deriveStatus(row, now),
    works: licenseDenial(row, policy, now) === null,
    starts_at: row.starts_at,
    expires_at: row.expires_at,
    pending_term: pendingTerm(policy, row),
    grace_ends_at: graceEnd(row, policy),
    maintenance_expires_at: row.maintenance_expires_at,
    seats: { used: row.activations_count, maximum: limit, admitted },
    deactivations_left: deactivationsLeft(row, policy),
    devices_to_release: excessActivations(row, policy, row.activations_count),
    terms: termsOf(row, policy, context),
    renewal_url: renewalUrlOf(product, row.id),
    permissions: { ...permissions, replace_key: permissions.replace_key && policy.holder_may_replace_key === 1 },
    created_at: row.created_at,
  };
}

function graceEnd({ expires_at }: LicensesTable, policy: PoliciesTable): Timestamp | null {
  if (expires_at === null || policy.expiry_strategy === 'allow' || policy.grace_days === 0) return null;
  return addDays(expires_at, policy.grace_days);
}

/** Returns how many devices the holder may still release; null: any number. */
export function deactivationsLeft(
  { deactivations_count }: Pick<LicensesTable, 'deactivations_count'>,
  { max_deactivations }: Pick<PoliciesTable, 'max_deactivations'>,
): number | null {
  return max_deactivations === null ? null : Math.max(0, max_deactivations - deactivations_count);
}

function termsOf(
  row: LicensesTable,
  policy: PoliciesTable,
  { entitlementNames, now }: Context,
): PortalLicense['terms'] {
  const grants = {
    policy: parseEntitlements(policy.entitlements_json),
    license: parseEntitlements(row.entitlements_json),
  };
  const codes = new Set([...grants.policy, ...grants.license].map(({ code }) => code));
  const entitlements = [...codes].flatMap((code) => {
    const decided = decidingEntry(grants, code, now);
    if (decided === null || decided.problem !== null) return [];
    const { type, value = null, limit = null, reset = null, expires_at = null } = decided.entry;
    return [{ code, name: entitlementNames.get(code) ?? code, type, value, limit, reset, expires_at }];
  });
  return {
    duration_days: policy.duration_days,
    duration_months: policy.duration_months,
    runs_after_expiry: policy.expiry_strategy === 'allow',
    requires_activation: policy.require_activation === 1,
    lease_seconds: policy.lease_seconds,
    offline_seconds: policy.offline_ttl_seconds_max,
    entitlements,
  };
}

/** Returns a device as the holder of its license sees it: with its name, without its fingerprint and its address. */
export function presentDevice(row: ActivationsTable): PortalDevice {
  return {
    id: row.id,
    name: row.name ?? row.hostname,
    platform: row.platform,
    last_seen_at: row.last_heartbeat_at,
    lease_expires_at: row.lease_expires_at,
    created_at: row.created_at,
  };
}
