import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import { deleteRows, findRow, insertRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { EntitlementsTable } from '../../../db/tables/tenant/policies.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { ClockServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { type Definitions, type Grant, type StoredGrant, storeGrants } from './grants.ts';
import {
  createReferences,
  deleteReferences,
  listAllEntitlements,
  listDefinitions,
  listEntitlementNames,
  listEntitlements,
  lockEntitlementsByCode,
} from './queries.ts';
import type { CreateEntitlement, UpdateEntitlement } from './schemas.ts';

const auditOf = auditsOf('entitlement');

const auditedFields = ['code', 'name', 'type', 'description'] as const;

/** Creates an entitlement, which policies and licenses can then grant. Throws 409 `ENTITLEMENT.CODE_TAKEN`. */
export async function createEntitlement(
  { clock }: ClockServices,
  tenant: Tenant,
  actor: Actor,
  input: CreateEntitlement,
): Promise<EntitlementsTable> {
  return await tenant.db
    .transaction(async (tx) => {
      const at = clock.now();
      const row = { id: newId(), description: null, ...input, created_at: at, updated_at: at };
      await insertRow(tx, 'entitlements', row);
      const changes = createdFields(row, auditedFields);
      await recordAudit(tx, actor, { ...auditOf(row.id, 'ENTITLEMENT.CREATED'), changes, at });
      return row;
    })
    .catch(explainConflict);
}

/** Changes the fields that `input` contains. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function updateEntitlement(
  { clock }: ClockServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: UpdateEntitlement,
): Promise<EntitlementsTable> {
  return await tenant.db.transaction(async (tx) => {
    const before = orThrow(await lockRow(tx, 'entitlements', id), entitlementNotFound);
    const at = clock.now();
    const after = { ...before, ...input, updated_at: at };
    const changes = changedFields(before, after, auditedFields);
    if (changes.length === 0) return before;
    await updateRows(tx, 'entitlements', after.id, after);
    await recordAudit(tx, actor, { ...auditOf(id, 'ENTITLEMENT.UPDATED'), changes, at });
    return after;
  });
}

/**
 * Deletes an entitlement that no policy or license grants. Throws 404 `RESOURCE.NOT_FOUND` and 409
 * `ENTITLEMENT.IN_USE`.
 */
export async function deleteEntitlement(
  { clock }: ClockServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<void> {
  await tenant.db
    .transaction(async (tx) => {
      if ((await lockRow(tx, 'entitlements', id)) === undefined) throw entitlementNotFound();
      await deleteRows(tx, 'entitlements', id);
      await recordAudit(tx, actor, { ...auditOf(id, 'ENTITLEMENT.DELETED'), at: clock.now() });
    })
    .catch(explainConflict);
}

/** Copies every entitlement into the database of a new tenant. */
export async function copyEntitlements(from: TenantDb, tx: TenantTransaction): Promise<void> {
  for (const row of await listAllEntitlements(from)) await insertRow(tx, 'entitlements', row);
}

/** Returns the names of all entitlements of a tenant, by code. */
export async function readEntitlementNames(db: TenantDb): Promise<ReadonlyMap<string, string>> {
  return new Map((await listEntitlementNames(db)).map(({ code, name }) => [code, name]));
}

/** Returns the definitions of these codes and locks them until the transaction ends. Unknown codes are omitted. */
async function lockDefinitions(tx: TenantTransaction, codes: Iterable<string>): Promise<Definitions> {
  const distinct = [...new Set(codes)];
  if (distinct.length === 0) return new Map();
  const rows = await lockEntitlementsByCode(tx, distinct);
  return new Map(rows.map((row) => [row.code, row]));
}

/**
 * Returns the grants of a policy or a license in their stored form. Throws 422 for unknown and repeated codes, and for
 * fields that do not fit the type of the entitlement. The caller must also store the owner's references with
 * `replaceReferences`.
 */
export async function prepareGrants<Entry extends Grant>(
  tx: TenantTransaction,
  grants: readonly Entry[],
): Promise<StoredGrant<Entry>[]> {
  const definitions = await lockDefinitions(
    tx,
    grants.map((grant) => grant.code),
  );
  const { stored, problems } = storeGrants(definitions, grants);
  if (problems.length > 0) throw validationError(...problems);
  return stored;
}

/**
 * Replaces the references of a policy or a license to the entitlements that it grants. Their foreign key keeps a
 * granted entitlement from being deleted. An empty list removes every reference. Throws 422 when a definition was
 * deleted.
 */
export async function replaceReferences(
  tx: TenantTransaction,
  ownerId: string,
  grants: readonly Pick<Grant, 'code'>[],
): Promise<void> {
  await deleteReferences(tx, ownerId);
  await insertReferences(tx, [{ id: ownerId, grants }]);
}

/** Creates the references of many new owners from their stored grants. Throws 422 when a definition was deleted. */
export async function createGrantReferences(
  tx: TenantTransaction,
  owners: readonly { readonly id: string; readonly entitlements_json: string }[],
): Promise<void> {
  const granting = owners.filter(({ entitlements_json }) => entitlements_json !== '[]');
  const lists = granting.map(({ id, entitlements_json }) => ({ id, grants: JSON.parse(entitlements_json) as Grant[] }));
  await insertReferences(tx, lists);
}

interface GrantList {
  /** The id of the policy or the license. */
  readonly id: string;
  readonly grants: readonly Pick<Grant, 'code'>[];
}

async function insertReferences(tx: TenantTransaction, lists: readonly GrantList[]): Promise<void> {
  const definitions = await lockDefinitions(
    tx,
    lists.flatMap(({ grants }) => grants.map((grant) => grant.code)),
  );
  const references = lists.flatMap(({ id, grants }) =>
    grants.map(({ code }) => ({ owner_id: id, entitlement_id: idOf(definitions, code) })),
  );
  await createReferences(tx, references);
}

function idOf(definitions: Definitions, code: string): string {
  const definition = definitions.get(code);
  if (definition !== undefined) return definition.id;
  throw validationError({ field: 'entitlements', message: `The entitlement ${code} was deleted. Remove it.` });
}

/** Returns the entitlement with this id or code, or undefined. */
export async function findEntitlementBy(
  db: TenantDb,
  column: 'id' | 'code',
  value: string,
): Promise<EntitlementsTable | undefined> {
  return column === 'id'
    ? await findRow(db.query, 'entitlements', value)
    : (await listEntitlements(db, { code: value, limit: 1 }))[0];
}

/** Returns every definition of the tenant by code, for bulk work. Takes no locks. */
export async function readDefinitions(db: TenantDb): Promise<Definitions> {
  return new Map((await listDefinitions(db)).map((row) => [row.code, row]));
}

/**
 * Returns the same error for an unknown entitlement and for another tenant's, so that other tenants' ids cannot be
 * probed.
 */
export function entitlementNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'The entitlement does not exist. List the entitlements to find its id.');
}

function explainConflict(cause: unknown): never {
  if (isUniqueViolation(cause)) {
    const details = [{ field: 'code', message: 'Another entitlement has this code. Choose another one.' }];
    const message = 'Another entitlement has this code. Choose another code.';
    throw new AppError('ENTITLEMENT.CODE_TAKEN', message, { details, cause });
  }
  if (isForeignKeyViolation(cause)) {
    const message = 'Policies or licenses grant the entitlement. Remove it from them first.';
    throw new AppError('ENTITLEMENT.IN_USE', message, { cause });
  }
  throw cause;
}
