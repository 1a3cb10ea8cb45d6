import type { EntitlementsTable, PoliciesTable, ProductsTable } from '../../../db/tables/tenant/policies.ts';
import { entitlementCodePattern, entitlementsMax } from '../entitlements/grant-schemas.ts';
import { storeGrants } from '../entitlements/grants.ts';
import { createEntitlement, findEntitlementBy, updateEntitlement } from '../entitlements/service.ts';
import { applyPolicyInput, policyRowDefaults, presentPolicy } from '../policies/policy.ts';
import { createPolicy, findPolicyById, listAllPolicies, updatePolicy } from '../policies/service.ts';
import { applyProductInput, presentProduct } from '../products/product.ts';
import { createProduct, findProductById, listAllProductCodes, updateProduct } from '../products/service.ts';
import { importItem, reportMalformed, requiredPages } from './catalog-service.ts';
import { addFinding, type ImportRun, withTenant } from './context.ts';
import { checkedMetadata, displayName, uniqueCode } from './field-check.ts';
import type { Note } from './finding.ts';
import { mapPolicy, type PolicyTerms } from './policy-mapping.ts';
import { metadataOf, type Resource, relatedId, textOf } from './resource.ts';

/** Imports the catalog: entitlements, products, then policies. It is small enough to be read again by each run. */
export async function importCatalog(run: ImportRun): Promise<void> {
  for await (const page of requiredPages(run, 'entitlements')) {
    reportMalformed(run, 'entitlements', page);
    for (const resource of page.resources) await importEntitlement(run, resource);
  }
  const productCodes = new Set((await withTenant(run, ({ db }) => listAllProductCodes(db))).map(({ code }) => code));
  for await (const page of requiredPages(run, 'products')) {
    reportMalformed(run, 'products', page);
    for (const resource of page.resources) await importProduct(run, resource, productCodes);
  }
  const policies = await withTenant(run, ({ db }) => listAllPolicies(db));
  const policyCodes = new Set(policies.map(({ product_id, code }) => `${product_id}/${code}`));
  for await (const page of requiredPages(run, 'policies')) {
    reportMalformed(run, 'policies', page);
    for (const resource of page.resources) await importPolicy(run, resource, policyCodes);
  }
}

async function importEntitlement(run: ImportRun, resource: Resource): Promise<void> {
  const notes: Note[] = [];
  const code = textOf(resource, 'code') ?? '';
  const name = displayName(textOf(resource, 'name'), code.slice(0, 100) || 'Imported entitlement', notes);
  if (Object.keys(metadataOf(resource)).length > 0)
    notes.push({ outcome: 'left_out', field: 'metadata', message: 'Entitlements have no metadata here.' });
  const row = await importItem<EntitlementsTable>(run, resource, {
    kind: 'entitlements',
    state: { name },
    notes,
    stateOf: (entitlement) => ({ name: entitlement.name }),
    find: ({ db }, id) => findEntitlementBy(db, 'id', id),
    adopt: ({ db }) => findEntitlementBy(db, 'code', code),
    refusal: () =>
      entitlementCodePattern.test(code)
        ? null
        : { outcome: 'refused', field: 'code', message: 'A code has 1 to 64 letters, digits and ._:- here.' },
    draft: (id) => ({ id, code, name, type: 'boolean', description: null, created_at: '', updated_at: '' }),
    create: (tenant) => createEntitlement(run.services, tenant, run.actor, { code, name, type: 'boolean' }),
    update: (tenant, { id }) => updateEntitlement(run.services, tenant, run.actor, id, { name }),
    updated: (entitlement) => ({ ...entitlement, name }),
  });
  if (row === null) return;
  run.entitlements.set(resource.id, row.code);
  run.definitions.set(row.code, row);
}

async function importProduct(run: ImportRun, resource: Resource, codes: Set<string>): Promise<void> {
  const notes: Note[] = [];
  const wanted = textOf(resource, 'code');
  const name = displayName(textOf(resource, 'name'), wanted?.slice(0, 100) ?? 'Imported product', notes);
  const listed = resource.attributes['platforms'];
  const platforms = [...new Set(Array.isArray(listed) ? listed.map(String) : [])]
    .filter((platform) => platform !== '' && platform.length <= 50)
    .slice(0, 50);
  const state = { name, platforms, metadata: checkedMetadata(resource, notes) };
  for (const field of ['url', 'distributionStrategy']) {
    const value = textOf(resource, field);
    if (value === null || value === 'LICENSED') continue;
    const word = field === 'url' ? {} : { value };
    notes.push({ outcome: 'left_out', field, ...word, message: 'There is no counterpart.' });
  }
  const row = await importItem<ProductsTable>(run, resource, {
    kind: 'products',
    state,
    notes,
    find: ({ db }, id) => findProductById(db, id),
    stateOf: (product) => {
      const shown = presentProduct(product);
      return { name: shown.name, platforms: shown.platforms, metadata: shown.metadata };
    },
    refusal: () => (takeAllowance(run, 'products') ? null : planFull('products')),
    draft(id) {
      const code = uniqueCode(wanted ?? name, (taken) => codes.has(taken));
      codes.add(code);
      if (wanted !== null && wanted !== code) noteCode(run, 'products', resource.id, code);
      const empty = { description: null, platforms_json: '[]', metadata_json: '{}', created_at: '', updated_at: '' };
      return applyProductInput({ id, code, name, ...empty }, state);
    },
    create: (tenant, { code }) => createProduct(run.services, tenant, run.actor, { code, ...state }),
    update: (tenant, { id }) => updateProduct(run.services, tenant, run.actor, id, state),
    updated: (product) => applyProductInput(product, state),
  });
  if (row !== null) run.products.set(resource.id, row.id);
}

/** Reports the code that a new resource got because its own one was taken or is not valid here. */
function noteCode(run: ImportRun, resource: string, id: string, code: string): void {
  const message = `The code is now ${code}, because the code of Keygen is taken or not valid here.`;
  addFinding(run, { resource, id, outcome: 'adjusted', field: 'code', message });
}

async function importPolicy(run: ImportRun, resource: Resource, taken: Set<string>): Promise<void> {
  const { terms, maintains, maxMachines, limits, notes: ofTerms } = mapPolicy(resource);
  const notes = [...ofTerms];
  const productId = run.products.get(relatedId(resource, 'product') ?? '');
  const codes = await grantedCodes(run, `policies/${resource.id}/entitlements`, notes);
  const grants = codes.map((code) => ({ code }));
  const { stored } = storeGrants(run.definitions, grants);
  const input = { ...terms, entitlements: grants };
  const state = stateOfPolicy({ ...terms, entitlements: grants });
  const row = await importItem<PoliciesTable>(run, resource, {
    kind: 'policies',
    state,
    notes,
    find: ({ db }, id) => findPolicyById(db, id),
    stateOf: (policy) => stateOfPolicy(presentPolicy(policy)),
    refusal: () =>
      productId === undefined
        ? { outcome: 'refused', field: 'product', message: 'Its product was not imported.' }
        : null,
    draft(id) {
      const code = uniqueCode(terms.name, (candidate) => taken.has(`${productId}/${candidate}`));
      taken.add(`${productId}/${code}`);
      const times = { created_at: '', updated_at: '' };
      const empty = { id, product_id: productId ?? '', code, name: terms.name, ...policyRowDefaults, ...times };
      return applyPolicyInput(empty, { ...terms, entitlements: stored });
    },
    create: (tenant, { code }) =>
      createPolicy(run.services, tenant, run.actor, { product_id: productId ?? '', code, ...input }),
    update: (tenant, { id }) => updatePolicy(run.services, tenant, run.actor, id, input),
    updated: (policy) => applyPolicyInput(policy, { ...terms, entitlements: stored }),
  });
  if (row !== null) run.policies.set(resource.id, { row, maintains, maxMachines, limits, codes: new Set(codes) });
}

type StateOfPolicy = PolicyTerms & { readonly entitlements: readonly object[] };

/** Picks the fields of a policy that the import writes, in a fixed order. */
function stateOfPolicy(policy: { readonly [Field in keyof StateOfPolicy]: StateOfPolicy[Field] }): object {
  return [
    policy.name,
    policy.duration_days,
    policy.expiry_basis,
    policy.expiry_strategy,
    policy.renewal_basis,
    policy.maintenance_days,
    policy.max_activations,
    policy.activation_overage_percent,
    policy.require_activation,
    policy.lease_seconds,
    policy.metadata,
    policy.entitlements,
  ];
}

/** Returns the sorted codes that a policy or a license grants in Keygen; at most as many as are allowed here. */
export async function grantedCodes(
  run: Pick<ImportRun, 'source' | 'signal' | 'entitlements'>,
  path: string,
  notes: Note[],
): Promise<string[]> {
  if (run.entitlements.size === 0) return [];
  const codes = new Set<string>();
  let position: string | null = null;
  do {
    run.signal.throwIfAborted();
    const page = await run.source.page(path, position);
    for (const { id } of page?.resources ?? []) {
      const code = run.entitlements.get(id);
      if (code !== undefined) codes.add(code);
      else notes.push({ outcome: 'left_out', field: 'entitlements', message: `Entitlement ${id} was not imported.` });
    }
    position = page?.next ?? null;
  } while (position !== null);
  const sorted = [...codes].sort();
  if (sorted.length <= entitlementsMax) return sorted;
  const message = `Only the first ${entitlementsMax} entitlements were imported, which is the largest number here.`;
  notes.push({ outcome: 'adjusted', field: 'entitlements', message });
  return sorted.slice(0, entitlementsMax);
}

/** Takes one resource from what the plan still allows. Returns false if it allows no more. */
export function takeAllowance(
  { allowance }: Pick<ImportRun, 'allowance'>,
  resource: keyof ImportRun['allowance'],
): boolean {
  const left = allowance[resource];
  if (left === null) return true;
  if (left <= 0) return false;
  allowance[resource] = left - 1;
  return true;
}

/** The refusal of a resource that the tenant's plan does not allow. */
export function planFull(resource: string): Note {
  return { outcome: 'refused', message: `The tenant's plan allows no more ${resource}. Choose a larger plan.` };
}
