import type { ErrorDetail } from '../../../../lib/error.ts';
import type { CatalogPolicy, LicenseCatalog } from '../license-catalog.ts';
import type { RowCandidate } from './row-reader.ts';

/** The policy that a row names, or the problem with the row's policy, policy_id or product. */
type Found = CatalogPolicy | ErrorDetail;

/** Returns true if `policyOfRow` found no policy. */
export function isProblem(found: Found): found is ErrorDetail {
  return 'message' in found;
}

function isOf(product: unknown) {
  return ({ product_id, productCode }: CatalogPolicy) => product === productCode || product === product_id;
}

function byCode(catalog: LicenseCatalog, { policy, policyId, product }: RowCandidate): Found {
  const namesakes = catalog.byCode(String(policy));
  const matches = product === undefined ? namesakes : namesakes.filter(isOf(product));
  const [match, another] = matches;
  if (match === undefined) {
    const ofProduct = namesakes.length > 0 ? ' of this product' : '';
    return { field: 'policy', message: `must be the code of an existing policy${ofProduct}` };
  }
  if (another !== undefined) {
    return { field: 'product', message: 'is required because policies of several products have this code' };
  }
  // In a file of another tenant the id is unknown here and is ignored; the code identifies the policy.
  const named = typeof policyId === 'string' ? catalog.byId(policyId) : undefined;
  if (named !== undefined && named !== match) {
    return { field: 'policy_id', message: 'must be the id of the policy whose code is in policy' };
  }
  return match;
}

function byId(catalog: LicenseCatalog, { policyId, product }: RowCandidate): Found {
  const match = typeof policyId === 'string' ? catalog.byId(policyId) : undefined;
  if (match === undefined) return { field: 'policy_id', message: 'must be the id of an existing policy' };
  if (product === undefined || isOf(product)(match)) return match;
  return { field: 'product', message: "must be the code or the id of the policy's product" };
}

/**
 * Finds the policy of a row by its code, together with the product where the code is ambiguous, or by its id when the
 * row has no code.
 */
export function policyOfRow(catalog: LicenseCatalog, candidate: RowCandidate): Found {
  if (candidate.policy !== undefined) return byCode(catalog, candidate);
  if (candidate.policyId !== undefined) return byId(catalog, candidate);
  return { field: 'policy', message: 'is required unless policy_id is present' };
}
