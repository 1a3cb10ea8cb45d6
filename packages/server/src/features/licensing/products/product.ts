import type { ProductsTable } from '../../../db/tables/tenant/products.ts';
import type { Product, UpdateProduct } from './schemas.ts';

/** A product as callers see it. */
export function presentProduct(row: ProductsTable): Product {
  const { platforms_json, metadata_json, created_at, updated_at, ...rest } = row;
  return {
    ...rest,
    platforms: JSON.parse(platforms_json),
    metadata: JSON.parse(metadata_json),
    created_at,
    updated_at,
  };
}

/** The row with the fields of `input` that are present; `null` clears one. */
export function applyProductInput(row: ProductsTable, input: UpdateProduct): ProductsTable {
  return {
    ...row,
    code: input.code ?? row.code,
    name: input.name ?? row.name,
    description: input.description === undefined ? row.description : input.description,
    platforms_json: input.platforms === undefined ? row.platforms_json : JSON.stringify(input.platforms ?? []),
    metadata_json: input.metadata === undefined ? row.metadata_json : JSON.stringify(input.metadata ?? {}),
  };
}
