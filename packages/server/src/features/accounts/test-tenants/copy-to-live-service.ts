import type { EntitlementsTable, PoliciesTable, ProductsTable } from '../../../db/tables/tenant/policies.ts';
import { isTenantAllowed } from '../../../http/routes/tenant-roles.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { assertTenantActive, findTenantRecord, type TenantRecord, tenantOf } from '../../../tenancy/tenant-record.ts';
import { createEntitlement, findEntitlementBy } from '../../licensing/entitlements/service.ts';
import { presentPolicy } from '../../licensing/policies/policy.ts';
import {
  createPolicy,
  findPolicy,
  findPolicyByCode,
  policyNotFound,
  updatePolicy,
} from '../../licensing/policies/service.ts';
import { presentProduct } from '../../licensing/products/product.ts';
import { createProduct, findProductById, findProductByName } from '../../licensing/products/service.ts';
import { personRequired } from '../access-tokens/service.ts';
import { findMemberRole } from '../memberships/service.ts';
import type { CopiedPolicy } from './schemas.ts';

/** A policy with everything that it needs. */
interface Copied {
  readonly policy: PoliciesTable;
  readonly product: ProductsTable;
  readonly entitlements: readonly EntitlementsTable[];
}

/**
 * Copies a policy of a test tenant to its live tenant, with its product and its entitlements if the live tenant has none
 * with their codes. Every step can be repeated, so a request that failed halfway can be. Throws 404 `RESOURCE.NOT_FOUND`,
 * 409 `TEST_TENANT.NOT_TEST`, 403 `AUTH.ROLE_REQUIRED` for a caller who may not write in the live tenant, and 409
 * `POLICY.CODE_TAKEN` if the live tenant has the policy and `replaces` is false.
 */
export async function copyPolicyToLive(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  replaces: boolean,
): Promise<CopiedPolicy> {
  const copied = await readCopied(tenant, id);
  const live = await liveTenantOf(services, tenant, actor);
  return await services.tenants.withTenantDb(live.id, (db) =>
    writeCopied(services, tenantOf(live, db), actor, copied, replaces),
  );
}

async function liveTenantOf({ platform }: Services, tenant: Tenant, actor: Actor): Promise<TenantRecord> {
  const liveId = (await findTenantRecord(platform, tenant.id))?.live_tenant_id ?? null;
  const live = liveId === null ? undefined : await findTenantRecord(platform, liveId);
  if (live === undefined) {
    const message = 'This is not a test tenant, so it has no live tenant. Send the request to a test tenant.';
    throw new AppError('TEST_TENANT.NOT_TEST', message);
  }
  assertTenantActive(live);
  // An access token belongs to the test tenant alone.
  if (actor.createdBy !== undefined) throw personRequired();
  if (actor.type === 'admin') return live;
  const role = await platform.transaction((tx) => findMemberRole(tx, live.id, actor.id));
  if (role !== undefined && isTenantAllowed(role, 'catalog', 'POST')) return live;
  const message = 'You may not change the live tenant. Ask one of its owners for the role of an admin.';
  throw new AppError('AUTH.ROLE_REQUIRED', message);
}

async function readCopied({ db }: Tenant, id: string): Promise<Copied> {
  const policy = await findPolicy(db.query, id);
  const product = policy && (await findProductById(db, policy.product_id));
  if (policy === undefined || product === undefined) throw policyNotFound();
  const codes = presentPolicy(policy).entitlements.map(({ code }) => code);
  const entitlements = await Promise.all(codes.map((code) => findEntitlementBy(db, 'code', code)));
  return { policy, product, entitlements: entitlements.filter((entitlement) => entitlement !== undefined) };
}

async function writeCopied(
  services: Services,
  live: Tenant,
  actor: Actor,
  { policy, product, entitlements }: Copied,
  replaces: boolean,
): Promise<CopiedPolicy> {
  for (const { code, name, type, description } of entitlements) {
    if ((await findEntitlementBy(live.db, 'code', code)) !== undefined) continue;
    await createEntitlement(services, live, actor, { code, name, type, description });
  }
  const known = await findProductByName(live.db.query, product.code);
  const { id: productId } = known ?? (await createProduct(services, live, actor, productInput(product)));
  const existing = await findPolicyByCode(live.db, productId, policy.code);
  const input = policyInput(policy);
  if (existing === undefined) {
    const created = await createPolicy(services, live, actor, { ...input, code: policy.code, product_id: productId });
    return { tenant_id: live.id, product_id: productId, policy_id: created.id, created: true };
  }
  if (!replaces) {
    const message = 'The live tenant has this policy already. Send `replace: true` to give it these terms.';
    throw new AppError('POLICY.CODE_TAKEN', message);
  }
  await updatePolicy(services, live, actor, existing.id, input);
  return { tenant_id: live.id, product_id: productId, policy_id: existing.id, created: false };
}

function productInput(product: ProductsTable) {
  const { code, name, description, platforms, renewal_url, metadata } = presentProduct(product);
  return { code, name, description, platforms, renewal_url, metadata };
}

/** The fields of a policy that a request sets. */
function policyInput(policy: PoliciesTable) {
  const {
    id: _id,
    product_id: _product,
    code: _code,
    archived_at,
    created_at,
    updated_at,
    ...terms
  } = presentPolicy(policy);
  return terms;
}
