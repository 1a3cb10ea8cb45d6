import type { ImportedResourcesTable } from '../../../db/tables/tenant/administration.ts';
import { newId } from '../../../lib/ids.ts';
import { withFirstTransaction } from '../../../tenancy/first-transaction.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { addFinding, type ImportRun, publishOutcome, withTenant } from './context.ts';
import { compareDigests, digestOf } from './digest.ts';
import { findingsOf, type Note, type Result } from './finding.ts';
import { findImported, insertImported, type MappedKind, updateDigests } from './queries.ts';
import type { Page, Resource } from './resource.ts';

/** How one kind of the catalog is imported: products, entitlements and policies. */
export interface CatalogItem<Row extends { readonly id: string }> {
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
  /** Returns the row that `update` would make. */
  readonly updated: (row: Row) => Row;
}

/**
 * Imports one resource of the catalog and returns our row; null if it was refused. A resource and the record of its
 * import are written in one transaction.
 */
export async function importItem<Row extends { readonly id: string }>(
  run: ImportRun,
  resource: Resource,
  item: CatalogItem<Row>,
): Promise<Row | null> {
  const { row, result, notes } = await withTenant(run, (tenant) => importInto(run, tenant, resource, item));
  run.file.transaction(() => void run.file.see(item.kind, resource.id));
  const findings = findingsOf(item.kind, resource.id, [...(result === 'refused' ? [] : item.notes), ...notes]);
  publishOutcome(run, item.kind, { results: [result], findings });
  return row;
}

interface Imported<Row> {
  readonly row: Row | null;
  readonly result: Result;
  readonly notes: readonly Note[];
}

async function importInto<Row extends { readonly id: string }>(
  run: ImportRun,
  tenant: Tenant,
  { id: sourceId }: Resource,
  item: CatalogItem<Row>,
): Promise<Imported<Row>> {
  const imported = (await findImported(tenant.db.query, item.kind, [sourceId])).get(sourceId);
  return imported === undefined
    ? await createItem(run, tenant, sourceId, item)
    : await updateItem(run, tenant, imported, item);
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
  if (isDryRun) return { row: item.updated(row), result, notes: [] };
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

/** Yields every page of a collection. Throws unless the source has the collection. */
export async function* requiredPages({ source, signal }: ImportRun, path: string): AsyncGenerator<Page> {
  let position: string | null = null;
  do {
    signal.throwIfAborted();
    const page: Page | null = await source.page(path, position);
    if (page === null && position === null && !source.isLive) return;
    if (page === null) throw notShown(path);
    yield page;
    position = page.next;
  } while (position !== null);
}

/** Returns the error of a collection that an import needs and cannot read. */
export function notShown(path: string): Error {
  return new Error(`Keygen does not show ${path} to this token. Use a token with the permissions of an admin.`);
}

/** Reports the entries of a page that are no resources. */
export function reportMalformed(run: ImportRun, resource: string, { malformed }: Page): void {
  const message = 'An entry of a page has no id or no type.';
  for (let number = 0; number < malformed; number += 1)
    addFinding(run, { resource, id: null, outcome: 'refused', message });
}
