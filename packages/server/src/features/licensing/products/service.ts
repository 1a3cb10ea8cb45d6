import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import { findRow } from '../../../db/rows.ts';
import type { ProductsTable } from '../../../db/tables/tenant/policies.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { idOrText, newId } from '../../../lib/ids.ts';
import type { ClockServices, Services, TenantWorkServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { releaseQuota, reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { findPolicy } from '../policies/service.ts';
import { storageAfter } from './download-storage.ts';
import { applyProductInput, presentProduct } from './product.ts';
import {
  createProductRow,
  deleteProductRow,
  findNamedProduct,
  findProducts,
  listAllProducts,
  lockProduct,
  updateProductRow,
} from './queries.ts';
import type { CreateProduct, UpdateProduct } from './schemas.ts';

export { holdProduct, listAllProductCodes } from './queries.ts';

const auditOf = auditsOf('product');

const auditedFields = [
  'code',
  'name',
  'description',
  'platforms',
  'renewal_url',
  'trial_policy_id',
  'download_storage',
  'metadata',
  'archived_at',
] as const;

/** What a change of a product needs: `config` and `keyring` check and seal the access to its storage. */
type ProductServices = TenantWorkServices & Pick<Services, 'config' | 'keyring'>;

/** Creates a product. Throws 409 `PRODUCT.CODE_TAKEN` and 403 `PLAN.LIMIT_REACHED`. */
export async function createProduct(
  services: ProductServices,
  tenant: Tenant,
  actor: Actor,
  input: CreateProduct,
): Promise<ProductsTable> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const at = services.clock.now();
    const download_storage_json = storageAfter(services, null, input);
    const unset = { description: null, renewal_url: null, trial_policy_id: null, archived_at: null };
    const empty = { id: newId(), ...unset, platforms_json: '[]', metadata_json: '{}', download_storage_json };
    const { code, name } = input;
    const row = applyProductInput({ ...empty, code, name, created_at: at, updated_at: at }, input);
    await createProductRow(tx, row);
    const changes = createdFields(presentProduct(row), auditedFields);
    await recordAudit(tx, actor, { ...auditOf(row.id, 'PRODUCT.CREATED'), changes, at });
    await reserveQuota(tx, outbox, tenant, { resource: 'products', count: 1, at, requestId: actor.requestId });
    return row;
  }).catch(explainConflict);
}

/**
 * Changes the fields that `input` contains. Throws 404 `RESOURCE.NOT_FOUND`, 409 `PRODUCT.CODE_TAKEN`, and 422 for a
 * trial policy of another product and for a storage without a key.
 */
export async function updateProduct(
  services: ClockServices & Pick<Services, 'config' | 'keyring'>,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: UpdateProduct,
): Promise<ProductsTable> {
  return await tenant.db
    .transaction(async (tx) => {
      const before = orThrow(await lockProduct(tx, id), productNotFound);
      const at = services.clock.now();
      const download_storage_json = storageAfter(services, before.download_storage_json, input);
      const after = { ...applyProductInput(before, input), download_storage_json, updated_at: at };
      if (after.trial_policy_id !== before.trial_policy_id) await assertOwnPolicy(tx, after);
      const changes = changedFields(presentProduct(before), presentProduct(after), auditedFields);
      // Another secret key alone changes no field that the audit log may show.
      if (changes.length === 0 && after.download_storage_json === before.download_storage_json) return before;
      await updateProductRow(tx, after);
      await recordAudit(tx, actor, { ...auditOf(id, 'PRODUCT.UPDATED'), changes, at });
      return after;
    })
    .catch(explainConflict);
}

async function assertOwnPolicy(tx: TenantTransaction, { id, trial_policy_id }: ProductsTable): Promise<void> {
  const policy = trial_policy_id === null ? undefined : await findPolicy(tx, trial_policy_id);
  if (trial_policy_id === null || (policy?.product_id === id && policy.archived_at === null)) return;
  const message = 'Choose a policy of the product that is not archived.';
  throw validationError({ field: 'trial_policy_id', message });
}

/** Deletes a product without policies and releases. Throws 404 `RESOURCE.NOT_FOUND` and 409 `PRODUCT.IN_USE`. */
export async function deleteProduct({ clock }: ClockServices, tenant: Tenant, actor: Actor, id: string): Promise<void> {
  await tenant.db
    .transaction(async (tx) => {
      const row = orThrow(await lockProduct(tx, id), productNotFound);
      await deleteProductRow(tx, row);
      await recordAudit(tx, actor, { ...auditOf(id, 'PRODUCT.DELETED'), at: clock.now() });
      await releaseQuota(tx, 'products', 1);
    })
    .catch(explainConflict);
}

/**
 * Returns the same error for an unknown product and for another tenant's, so that ids of other tenants cannot be
 * probed.
 */
export function productNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'The product does not exist. List the products to find its id.');
}

/** Returns the product, or undefined. */
export function findProductById(db: TenantDb, id: string): Promise<ProductsTable | undefined> {
  return findRow(db.query, 'products', id);
}

/** Returns the products with these ids, by id. */
export async function findProductsById(
  db: TenantDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ProductsTable>> {
  return new Map((await findProducts(db, ids)).map((row) => [row.id, row]));
}

/** Returns the product with this code or id, or undefined. */
export function findProductByName(db: TenantDb['query'], name: string): Promise<ProductsTable | undefined> {
  return findNamedProduct(db, idOrText(name));
}

/** Copies every product, without the access to its storage, into the database of a new tenant. Products keep their ids. */
export async function copyProducts(from: TenantDb, tx: TenantTransaction): Promise<void> {
  for (const row of await listAllProducts(from)) await createProductRow(tx, { ...row, download_storage_json: null });
}

function explainConflict(cause: unknown): never {
  if (isUniqueViolation(cause)) {
    const details = [{ field: 'code', message: 'Another product has this code. Choose another one.' }];
    throw new AppError('PRODUCT.CODE_TAKEN', 'Another product has this code. Choose another code.', { details, cause });
  }
  if (isForeignKeyViolation(cause)) {
    throw new AppError(
      'PRODUCT.IN_USE',
      'The product has policies or releases. Delete those first, or archive the product instead.',
      { cause },
    );
  }
  throw cause;
}
