import { newId } from '../../src/lib/ids.ts';
import type { TestTenant } from './accounts.ts';
import type { Answer } from './harness.ts';

/** Returns the data of a 201 response. Throws for any other status. */
export function created(answer: Answer) {
  if (answer.status !== 201) throw new Error(`Expected a creation, got ${answer.status} ${answer.text}`);
  return answer.body.data;
}

/** Creates entitlements, given by code and type, unless they exist. */
export async function defineEntitlements(tenant: TestTenant, types: Readonly<Record<string, string>>): Promise<void> {
  for (const [code, type] of Object.entries(types)) {
    const { status } = await tenant.asOwner('POST', '/entitlements', { code, name: code, type });
    if (status !== 201 && status !== 409) throw new Error(`The entitlement ${code} could not be created: ${status}`);
  }
}

/** Creates a product. */
export async function newProduct(tenant: TestTenant, fields: object = {}) {
  return created(await tenant.asOwner('POST', '/products', { code: newId(), name: 'Editor', ...fields }));
}

/** Creates a policy, of a new product unless `fields` names one. */
export async function newPolicy(tenant: TestTenant, fields: { product_id?: string; [field: string]: unknown } = {}) {
  const product_id = fields.product_id ?? (await newProduct(tenant)).id;
  return created(await tenant.asOwner('POST', '/policies', { code: newId(), name: 'Plan', ...fields, product_id }));
}

/** Creates a license of a new policy. */
export async function newLicense(tenant: TestTenant, policyFields: object = {}, fields: object = {}) {
  const policy = await newPolicy(tenant, { ...policyFields });
  return created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id, ...fields }));
}

/** Returns the audit events of a resource, newest first. */
export async function eventsOf(tenant: TestTenant, resourceId: string): Promise<string[]> {
  const { body } = await tenant.asOwner('GET', `/audit-logs?resource_id=${resourceId}&limit=100`);
  return body.data.map((record: { event: string }) => record.event);
}

/** Returns the fields that a 422 response names, sorted. */
export function badFields(answer: Answer): string[] {
  const details: { field: string }[] = answer.body.error?.details ?? [];
  return details.map((detail) => detail.field).sort();
}
