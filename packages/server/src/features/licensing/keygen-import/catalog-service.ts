import type { ImportedResourcesTable } from '../../../db/tables/tenant/administration.ts';
import type { EntitlementsTable, PoliciesTable, ProductsTable } from '../../../db/tables/tenant/policies.ts';
import { newId } from '../../../lib/ids.ts';
import { withFirstTransaction } from '../../../tenancy/first-transaction.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { entitlementCodePattern, entitlementsMax } from '../entitlements/grant-schemas.ts';
import { storeGrants } from '../entitlements/grants.ts';
import { createEntitlement, findEntitlementBy, updateEntitlement } from '../entitlements/service.ts';
import { applyPolicyInput, policyRowDefaults, presentPolicy } from '../policies/policy.ts';
import { createPolicy, findPolicy, listAllPolicies, updatePolicy } from '../policies/service.ts';
import { applyProductInput, presentProduct } from '../products/product.ts';
import { createProduct, findProductById, listAllProductCodes, updateProduct } from '../products/service.ts';
import { addFinding, type ImportRun, publishOutcomes, withTenant } from './context.ts';
import { compareDigests, digestOf } from './digest.ts';
import { checkedMetadata, displayName, uniqueCode } from './field-check.ts';
import type { Note, Result } from './finding.ts';
import { mapPolicy, type PolicyTerms } from './policy-mapping.ts';
import { findImported, insertImported, type MappedKind, updateDigests } from './queries.ts';
import { metadataOf, type Page, type Resource, relatedId, textOf } from './resource.ts';

/** Imports the catalog: entitlements, products, then policies. It is small enough to be read again by each run. */
export async function importCatalog(run: ImportRun): Promise<void> {
  for await (const page of pagesOf(run, 'entitlements')) {
    for (const resource of page.resources) await importEntitlement(run, resource);
  }
  const productCodes = new Set((await withTenant(run, ({ db }) => listAllProductCodes(db))).map(({ code }) => code));
  for await (const page of pagesOf(run, 'products')) {
    for (const resource of page.resources) await importProduct(run, resource, productCodes);
  }
  const policies = await withTenant(run, ({ db }) => listAllPolicies(db));
  const policyCodes = new Set(policies.map(({ product_id, code }) => `${product_id}/${code}`));
  for await (const page of pagesOf(run, 'policies')) {
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
      const empty = {
        description: null,
        renewal_url: null,
        trial_policy_id: null,
        archived_at: null,
        platforms_json: '[]',
        metadata_json: '{}',
      };
      return applyProductInput({ id, code, name, ...empty, created_at: '', updated_at: '' }, state);
    },
    create: (tenant, { code }) => createProduct(run.services, tenant, run.actor, { code, ...state }),
    update: (tenant, { id }) => updateProduct(run.services, tenant, run.actor, id, state),
  });
  if (row !== null) run.products.set(resource.id, row.id);
}

/** Reports the code of a new resource whose code in Keygen is taken or not valid here. */
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
    find: ({ db }, id) => findPolicy(db.query, id),
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

/** Returns the sorted codes that a policy or a license grants in Keygen; at most the number that this service allows. */
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

/** How one kind of the catalog is imported: products, entitlements and policies. */
interface CatalogItem<Row extends { readonly id: string }> {
  readonly kind: MappedKind;
  /** The fields that the import writes, in a fixed order. */
  readonly state: object;
  readonly notes: readonly Note[];
  /** Returns our row; undefined if it was deleted. */
  readonly find: (tenant: Tenant, id: string) => Promise<Row | undefined>;
  /** Returns the fields of our row that the import writes, in the same order. */
  readonly stateOf: (row: Row) => object;
  /** Returns a row that the tenant made itself and that the import uses from now on. */
  readonly adopt?: (tenant: Tenant) => Promise<Row | undefined>;
  /** Returns the reason why nothing can be created. */
  readonly refusal?: () => Note | null;
  /** Returns the row that `create` would make. */
  readonly draft: (id: string) => Row;
  readonly create: (tenant: Tenant, draft: Row) => Promise<Row>;
  readonly update: (tenant: Tenant, row: Row) => Promise<Row>;
  /** Returns the row that `update` would make; needed if the import reads other columns than the id and the code. */
  readonly updated?: (row: Row) => Row;
}

/**
 * Imports one resource of the catalog and returns our row; null if it was refused. A resource and the record of its
 * import are written in one transaction.
 */
async function importItem<Row extends { readonly id: string }>(
  run: ImportRun,
  resource: Resource,
  item: CatalogItem<Row>,
): Promise<Row | null> {
  const { kind } = item;
  const { id } = resource;
  const { row, result, notes } = await withTenant(run, async (tenant) => {
    const imported = (await findImported(tenant.db.query, kind, [id])).get(id);
    return imported === undefined
      ? await createItem(run, tenant, id, item)
      : await updateItem(run, tenant, imported, item);
  });
  run.file.mark(kind, id);
  publishOutcomes(run, kind, [{ id, result, notes: [...(result === 'refused' ? [] : item.notes), ...notes] }]);
  return row;
}

interface Imported<Row> {
  readonly row: Row | null;
  readonly result: Result;
  readonly notes: readonly Note[];
}

async function createItem<Row extends { readonly id: string }>(
  { options: { isDryRun }, source }: ImportRun,
  tenant: Tenant,
  sourceId: string,
  item: CatalogItem<Row>,
): Promise<Imported<Row>> {
  const { kind } = item;
  const digest = digestOf(item.state);
  const joined: Tenant = {
    ...tenant,
    db: withFirstTransaction(tenant.db, (tx, result) => {
      const target_id = (result as Row).id;
      return insertImported(tx, [{ kind, source_id: sourceId, source: source.name, target_id, digest }]);
    }),
  };
  const own = await item.adopt?.(tenant);
  if (own !== undefined) {
    if (!isDryRun) await joined.db.transaction(async () => own);
    return { row: own, result: 'unchanged', notes: [] };
  }
  const refusal = item.refusal?.() ?? null;
  if (refusal !== null) return { row: null, result: 'refused', notes: [refusal] };
  const draft = item.draft(newId());
  return { row: isDryRun ? draft : await item.create(joined, draft), result: 'created', notes: [] };
}

async function updateItem<Row extends { readonly id: string }>(
  { options: { isDryRun, overwrites } }: ImportRun,
  tenant: Tenant,
  imported: ImportedResourcesTable,
  item: CatalogItem<Row>,
): Promise<Imported<Row>> {
  const { kind } = item;
  const { source_id, target_id, digest: last } = imported;
  const digest = digestOf(item.state);
  const row = await item.find(tenant, target_id);
  if (row === undefined) return { row: null, result: 'conflict', notes: [deletedHere] };
  const result = compareDigests({ last, theirs: digest, ours: digestOf(item.stateOf(row)) }, overwrites);
  if (result === 'conflict') return { row, result, notes: [changedHere] };
  if (isDryRun) return { row: item.updated?.(row) ?? row, result, notes: [] };
  const after = result === 'unchanged' ? row : await item.update(tenant, row);
  if (last !== digest) await tenant.db.transaction((tx) => updateDigests(tx, kind, new Map([[source_id, digest]])));
  return { row: after, result, notes: [] };
}

/** The conflict of a resource that was deleted here. */
export const deletedHere: Note = {
  outcome: 'conflict',
  message: 'It was imported earlier and then deleted here, so it was not created again.',
};

/** The conflict of a resource that changed on both sides. */
export const changedHere: Note = {
  outcome: 'conflict',
  message: 'It changed in Keygen and here, so ours was kept. --overwrite takes the state of Keygen.',
};

/**
 * Yields the pages of a collection from a position on. A collection that the source does not have is reported, and is
 * an error if `isNeeded`; saved pages can be without any collection.
 */
export async function* pagesOf(
  run: ImportRun,
  path: string,
  { from = null, isNeeded = true }: { readonly from?: string | null; readonly isNeeded?: boolean } = {},
): AsyncGenerator<Page> {
  const { source, signal } = run;
  let position = from;
  do {
    signal.throwIfAborted();
    const page: Page | null = await source.page(path, position);
    if (page === null) {
      if (position === from && !source.isLive) return;
      if (position !== from || isNeeded)
        throw new Error(`Keygen does not show ${path} to this token. Use a token with the permissions of an admin.`);
      const message = 'Keygen does not show this collection to the token, so its resources are not listed.';
      addFinding(run, { resource: path, id: null, outcome: 'left_out', message });
      return;
    }
    const message = 'An entry of a page has no id or no type.';
    for (let number = 0; number < page.malformed; number += 1)
      addFinding(run, { resource: path, id: null, outcome: 'refused', message });
    yield page;
    position = page.next;
  } while (position !== null);
}
