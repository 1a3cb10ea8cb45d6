import type { ProductsTable } from '../../../db/tables/tenant/policies.ts';
import { presentStorage } from './download-storage.ts';
import type { Product, UpdateProduct } from './schemas.ts';

/** Returns the API representation of a product row. */
export function presentProduct(row: ProductsTable): Product {
  const { platforms_json, metadata_json, download_storage_json, created_at, updated_at, ...rest } = row;
  return {
    ...rest,
    platforms: JSON.parse(platforms_json),
    download_storage: presentStorage(download_storage_json),
    metadata: JSON.parse(metadata_json),
    created_at,
    updated_at,
  };
}

/**
 * Returns a copy of the row with the fields that `input` contains, but for its storage, which has a secret. `null` clears a
 * nullable field.
 */
export function applyProductInput(row: ProductsTable, input: UpdateProduct): ProductsTable {
  return {
    ...row,
    code: input.code ?? row.code,
    name: input.name ?? row.name,
    description: input.description === undefined ? row.description : input.description,
    renewal_url: input.renewal_url === undefined ? row.renewal_url : input.renewal_url,
    platforms_json: input.platforms === undefined ? row.platforms_json : JSON.stringify(input.platforms ?? []),
    trial_policy_id: input.trial_policy_id === undefined ? row.trial_policy_id : input.trial_policy_id,
    metadata_json: input.metadata === undefined ? row.metadata_json : JSON.stringify(input.metadata ?? {}),
  };
}
