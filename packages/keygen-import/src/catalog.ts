import { Notes, refusal } from './finding.ts';
import { checkedMetadata, mapPolicy, mapUser, nameOf, uniqueCode } from './mapping.ts';
import { metadataOf, type Resource, relatedId, textOf } from './resource.ts';
import type { Run } from './run.ts';

// What exists here is found by Keygen's id in its metadata, and an entitlement by its code.

/** Imports entitlements, products, policies and users. */
export async function importCatalog(run: Run): Promise<void> {
  await importEntitlements(run);
  await importProducts(run);
  await importPolicies(run);
  for await (const resource of run.resources('users')) {
    const notes = new Notes();
    const holder = mapUser(resource, notes);
    if (holder !== null) run.users.set(resource.id, holder);
    run.add('users', resource.id, null, notes.all);
  }
}

/** Creates a resource; changes one that exists if the import overwrites; otherwise it stays as it is. */
async function put(
  run: Run,
  { kind, id, notes }: { readonly kind: string; readonly id: string; readonly notes: Notes },
  existing: { readonly id: string } | undefined,
  create: () => Promise<{ readonly id: string }>,
  update: (id: string) => Promise<{ readonly id: string }>,
): Promise<string | undefined> {
  if (existing === undefined) return await run.write(kind, id, notes, create);
  if (run.options.overwrites) await run.write(kind, id, notes, () => update(existing.id), 'updated');
  else run.add(kind, id, 'unchanged', notes.all);
  return existing.id;
}

async function importEntitlements(run: Run): Promise<void> {
  const { entitlements } = run.options.client;
  const known = new Map((await Array.fromAsync(entitlements.list({ limit: 100 }))).map((one) => [one.code, one]));
  for await (const resource of run.resources('entitlements')) {
    const notes = new Notes();
    const code = textOf(resource, 'code') ?? '';
    const name = nameOf(resource, code || 'Imported entitlement', notes);
    if (Object.keys(metadataOf(resource)).length > 0) {
      notes.leftOut('metadata', undefined, 'Entitlements have no metadata here.');
    }
    const id = await put(
      run,
      { kind: 'entitlements', id: resource.id, notes },
      known.get(code),
      () => entitlements.create({ code, name, type: 'boolean' }),
      (existing) => entitlements.update(existing, { name }),
    );
    if (id !== undefined) run.codes.set(resource.id, code);
  }
}

async function importProducts(run: Run): Promise<void> {
  const { products } = run.options.client;
  const all = await Array.fromAsync(products.list({ limit: 100 }));
  const known = new Map(all.map((one) => [one.metadata['keygen_id'], one]));
  const taken = new Set(all.map(({ code }) => code));
  for await (const resource of run.resources('products')) {
    const notes = new Notes();
    const wanted = textOf(resource, 'code');
    const name = nameOf(resource, wanted ?? 'Imported product', notes);
    noteProduct(resource, notes);
    const fields = { name, platforms: platformsOf(resource), metadata: withId(resource, notes) };
    const existing = known.get(resource.id);
    const code = existing?.code ?? uniqueCode(wanted ?? name, taken);
    if (existing === undefined && wanted !== null && wanted !== code) {
      notes.adjusted('code', `The code is ${code}, because the code of Keygen is taken or not valid here.`);
    }
    const id = await put(
      run,
      { kind: 'products', id: resource.id, notes },
      existing,
      () => products.create({ code, ...fields }),
      (one) => products.update(one, fields),
    );
    if (id !== undefined) run.products.set(resource.id, id);
  }
}

const withId = (resource: Resource, notes: Notes) => checkedMetadata(resource, notes, { keygen_id: resource.id });

function platformsOf({ attributes: { platforms } }: Resource): string[] {
  const texts = Array.isArray(platforms) ? platforms.filter((one) => typeof one === 'string') : [];
  return [...new Set<string>(texts)].filter((one) => one !== '' && one.length <= 50).slice(0, 50);
}

function noteProduct(product: Resource, notes: Notes): void {
  if (textOf(product, 'url') !== null) notes.leftOut('url');
  const strategy = textOf(product, 'distributionStrategy');
  if (strategy !== null && strategy !== 'LICENSED') notes.leftOut('distributionStrategy', strategy);
}

async function importPolicies(run: Run): Promise<void> {
  const { policies } = run.options.client;
  const all = await Array.fromAsync(policies.list({ limit: 100 }));
  const known = new Map(all.map((one) => [one.metadata['keygen_id'], one]));
  for await (const resource of run.resources('policies')) {
    const notes = new Notes();
    const { terms, traits } = mapPolicy(resource, notes);
    const productId = run.products.get(relatedId(resource, 'product') ?? '');
    if (productId === undefined) {
      run.add('policies', resource.id, 'refused', [refusal('Its product was not imported.', 'product')]);
      continue;
    }
    const codes = await run.grantedCodes(`policies/${resource.id}/entitlements`, notes);
    const existing = known.get(resource.id);
    const taken = new Set(all.filter((one) => one.productId === productId).map((one) => one.code));
    const code = existing?.code ?? uniqueCode(terms.name, taken);
    const fields = { ...terms, metadata: withId(resource, notes), entitlements: codes.map((one) => ({ code: one })) };
    const id = await put(
      run,
      { kind: 'policies', id: resource.id, notes },
      existing,
      async () => {
        const created = await policies.create({ ...fields, productId, code });
        all.push(created);
        return created;
      },
      (one) => policies.update(one, fields),
    );
    const exists = existing !== undefined || !run.options.isDryRun;
    if (id !== undefined) run.policies.set(resource.id, { ...traits, id, exists, codes: new Set(codes) });
  }
}
