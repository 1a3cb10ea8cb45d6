import type { TenantDb } from '../../../db/database.ts';
import type { Definitions } from '../entitlements/grants.ts';
import { readDefinitions } from '../entitlements/service.ts';
import { listAllPolicies } from '../policies/service.ts';
import { listAllProductCodes } from '../products/service.ts';
import type { IssuingPolicy } from './service.ts';

/** A policy with the codes that identify it in a file. */
export interface CatalogPolicy extends IssuingPolicy {
  readonly code: string;
  readonly productCode: string;
  readonly key_prefix: string | null;
}

/** The policies and entitlements that rows of a file can refer to, read once per file. */
export interface LicenseCatalog {
  byId(policyId: string): CatalogPolicy | undefined;
  byCode(code: string): readonly CatalogPolicy[];
  /** The entitlements that rows can grant. */
  readonly definitions: Definitions;
}

/** Reads every policy with the code of its product, and every entitlement definition. */
export async function readCatalog(db: TenantDb): Promise<LicenseCatalog> {
  const productCodes = new Map((await listAllProductCodes(db)).map(({ id, code }) => [id, code]));
  const byId = new Map<string, CatalogPolicy>();
  const byCode = new Map<string, CatalogPolicy[]>();
  for (const policy of await listAllPolicies(db)) {
    const entry = { ...policy, productCode: productCodes.get(policy.product_id) ?? '' };
    byId.set(entry.id, entry);
    const namesakes = byCode.get(entry.code);
    if (namesakes === undefined) byCode.set(entry.code, [entry]);
    else namesakes.push(entry);
  }
  const definitions = await readDefinitions(db);
  return { byId: (policyId) => byId.get(policyId), byCode: (code) => byCode.get(code) ?? [], definitions };
}
