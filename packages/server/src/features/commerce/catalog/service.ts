import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import { deleteRows, insertRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { CatalogProductsTable } from '../../../db/tables/platform/billing.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, createdFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import type { CreateCatalogProduct, UpdateCatalogProduct } from './schemas.ts';

const auditOf = auditsOf('catalog_product');

const auditedFields = ['code', 'name', 'description'] as const;

/** Creates a product of the catalog. Throws 409 `CATALOG_PRODUCT.CODE_TAKEN`. */
export async function createCatalogProduct(
  { clock, platform }: PlatformServices,
  actor: Actor,
  { code, name, description = null }: CreateCatalogProduct,
): Promise<CatalogProductsTable> {
  return await platform
    .transaction(async (tx) => {
      const at = clock.now();
      const row = { id: newId(), code, name, description, created_at: at, updated_at: at };
      await insertRow(tx, 'catalog_products', row);
      const changes = createdFields(row, auditedFields);
      await recordPlatformAudit(tx, actor, { ...auditOf(row.id, 'CATALOG_PRODUCT.CREATED'), changes, at });
      return row;
    })
    .catch(explainConflict);
}

/** Changes the given fields of a product. Throws 404 `RESOURCE.NOT_FOUND`, and 409 `CATALOG_PRODUCT.CODE_TAKEN`. */
export async function updateCatalogProduct(
  { clock, platform }: PlatformServices,
  actor: Actor,
  id: string,
  input: UpdateCatalogProduct,
): Promise<CatalogProductsTable> {
  return await platform
    .transaction(async (tx) => {
      const before = orThrow(await lockRow(tx, 'catalog_products', id), catalogProductNotFound);
      const at = clock.now();
      const after = { ...before, ...input, updated_at: at };
      const changes = changedFields(before, after, auditedFields);
      if (changes.length === 0) return before;
      await updateRows(tx, 'catalog_products', after.id, after);
      await recordPlatformAudit(tx, actor, { ...auditOf(id, 'CATALOG_PRODUCT.UPDATED'), changes, at });
      return after;
    })
    .catch(explainConflict);
}

/** Deletes a product without plans. Throws 404 `RESOURCE.NOT_FOUND`, and 409 `CATALOG_PRODUCT.IN_USE`. */
export async function deleteCatalogProduct(
  { clock, platform }: PlatformServices,
  actor: Actor,
  id: string,
): Promise<void> {
  await platform
    .transaction(async (tx) => {
      if ((await lockRow(tx, 'catalog_products', id)) === undefined) throw catalogProductNotFound();
      await deleteRows(tx, 'catalog_products', id);
      await recordPlatformAudit(tx, actor, { ...auditOf(id, 'CATALOG_PRODUCT.DELETED'), at: clock.now() });
    })
    .catch(explainConflict);
}

/** Returns the 404 for an unknown product. */
export function catalogProductNotFound(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'No catalog product has this id. List the catalog products to find the id.',
  );
}

function explainConflict(cause: unknown): never {
  if (isUniqueViolation(cause)) {
    const details = [{ field: 'code', message: 'Another product has this code. Choose another one.' }];
    const message = 'Another catalog product has this code. Choose another code.';
    throw new AppError('CATALOG_PRODUCT.CODE_TAKEN', message, { details, cause });
  }
  if (isForeignKeyViolation(cause)) {
    throw new AppError(
      'CATALOG_PRODUCT.IN_USE',
      'The product has plans. Delete them, or assign them to another product first.',
      { cause },
    );
  }
  throw cause;
}
