import type { TenantDb } from '../../../db/database.ts';
import { readTimezone } from '../../tenant-core/settings/service.ts';
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
  /** False if the policy or its product is archived. */
  readonly isIssuing: boolean;
}

/** The policies and entitlements that rows of a file can refer to, read once per file. */
export interface LicenseCatalog {
  byId(policyId: string): CatalogPolicy | undefined;
  byCode(code: string): readonly CatalogPolicy[];
  /** The entitlements that rows can grant. */
  readonly definitions: Definitions;
  /** The tenant's. */
  readonly timezone: string;
}

/** Reads every policy with the code of its product, and every entitlement definition. */
export async function readCatalog(db: TenantDb): Promise<LicenseCatalog> {
  const products = new Map((await listAllProductCodes(db)).map((product) => [product.id, product]));
  const byId = new Map<string, CatalogPolicy>();
  const byCode = new Map<string, CatalogPolicy[]>();
  for (const policy of await listAllPolicies(db)) {
    const product = products.get(policy.product_id);
    const isIssuing = policy.archived_at === null && product?.archived_at === null;
    const entry = { ...policy, productCode: product?.code ?? '', isIssuing };
    byId.set(entry.id, entry);
    const namesakes = byCode.get(entry.code);
    if (namesakes === undefined) byCode.set(entry.code, [entry]);
    else namesakes.push(entry);
  }
  const definitions = await readDefinitions(db);
  const timezone = await readTimezone(db);
  return { byId: (policyId) => byId.get(policyId), byCode: (code) => byCode.get(code) ?? [], definitions, timezone };
}
