import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { recountUse } from '../../tenant-core/plan-limits/service.ts';
import type { Marks } from './marks.ts';
import { deleteTenantRowsById as deleteRows, listActivationsOf, readReferences } from './removal-queries.ts';

/**
 * Deletes the marked rows from a tenant's database, and what belongs to them: activations and usage of licenses, and
 * deliveries of webhook endpoints. Keeps a policy, a product or an entitlement that rows of the tenant's own refer to.
 */
export async function deleteMarkedRows(
  { clock }: Pick<Services, 'clock'>,
  db: TenantDb,
  actor: Actor,
  marks: Marks,
): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await withoutUsed(tx, marks);
    await deleteHistory(tx, marks);
    await deleteLicenses(tx, marks, removed);
    const changes = (['products', 'policies', 'licenses', 'entitlements', 'webhook_endpoints'] as const).map(
      (field) => {
        const ids = field === 'licenses' || field === 'webhook_endpoints' ? marks.of(field) : removed[field];
        return { field, old: ids.size, new: 0 };
      },
    );
    const entry = { event: 'DEMO_DATA.REMOVED', resourceType: 'demo_data', resourceId: null };
    await recordAudit(tx, actor, { ...entry, changes, at: clock.now() });
  });
  await recountUse(db);
}

/** The marked rows that nothing but marked rows refers to. */
interface Removed {
  readonly products: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
  readonly entitlements: ReadonlySet<string>;
}

async function withoutUsed(tx: TenantTransaction, marks: Marks): Promise<Removed> {
  const { licenses, policies, entitlements } = await readReferences(tx);
  const ownLicenses = licenses.filter(({ id }) => !marks.of('licenses').has(id));
  const removedPolicies = marks.of('policies').difference(new Set(ownLicenses.map(({ policy_id }) => policy_id)));
  const keptPolicies = policies.filter(({ id }) => !removedPolicies.has(id));
  const usedProducts = [...ownLicenses, ...keptPolicies].map(({ product_id }) => product_id);
  const isRemoved = (owner: string) => removedPolicies.has(owner) || marks.of('licenses').has(owner);
  const usedEntitlements = entitlements.filter(({ owner_id }) => !isRemoved(owner_id));
  return {
    products: marks.of('products').difference(new Set(usedProducts)),
    policies: removedPolicies,
    entitlements: marks.of('entitlements').difference(new Set(usedEntitlements.map((row) => row.entitlement_id))),
  };
}

async function deleteHistory(tx: TenantTransaction, marks: Marks): Promise<void> {
  await deleteRows(tx, 'webhook_deliveries', 'webhook_id', marks.of('webhook_endpoints'));
  await deleteRows(tx, 'webhook_deliveries', 'event_id', marks.of('events'));
  await deleteRows(tx, 'events', 'id', marks.of('events'));
  await deleteRows(tx, 'webhook_endpoints', 'id', marks.of('webhook_endpoints'));
  await deleteRows(tx, 'notification_mails', 'notification_id', marks.of('notifications'));
  await deleteRows(tx, 'notifications', 'id', marks.of('notifications'));
  await deleteRows(tx, 'audit_logs', 'id', marks.of('audit_logs'));
}

async function deleteLicenses(tx: TenantTransaction, marks: Marks, removed: Removed): Promise<void> {
  const licenses = marks.of('licenses');
  const activations = await listActivationsOf(tx, licenses);
  const { products, policies, entitlements } = removed;
  const resources = [...licenses, ...activations, ...policies, ...products, ...entitlements];
  await deleteRows(tx, 'audit_logs', 'resource_id', [...resources, ...marks.of('webhook_endpoints')]);
  await deleteRows(tx, 'usage_totals', 'license_id', licenses);
  await deleteRows(tx, 'usage_events', 'license_id', licenses);
  await deleteRows(tx, 'activations', 'license_id', licenses);
  await deleteRows(tx, 'entitlement_references', 'owner_id', [...licenses, ...policies]);
  await deleteRows(tx, 'search_terms', 'owner_id', [...licenses, ...policies, ...products]);
  await deleteRows(tx, 'licenses', 'id', licenses);
  await deleteRows(tx, 'policies', 'id', policies);
  await deleteRows(tx, 'products', 'id', products);
  await deleteRows(tx, 'entitlements', 'id', entitlements);
}
