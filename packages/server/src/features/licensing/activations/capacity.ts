import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';

interface ActivationCapacity {
  /** The seats of the license. Null: no limit. */
  readonly limit: number | null;
  /** How many activations are let in, overage included. Null: any number. */
  readonly admitted: number | null;
}

/**
 * How many activations a license has and how many it lets in. The license's own limit goes before its policy's.
 * The overage is rounded down: 50 % on a limit of 2 admits 3, on a limit of 1 it admits 1.
 */
export function activationCapacity(
  license: Pick<LicensesTable, 'max_activations'>,
  policy: Pick<PoliciesTable, 'max_activations' | 'activation_overage_percent'>,
): ActivationCapacity {
  const limit = license.max_activations ?? policy.max_activations;
  const percent = policy.activation_overage_percent;
  if (limit === null || percent === null) return { limit, admitted: null };
  const hundredths = limit * (100 + percent);
  return { limit, admitted: (hundredths - (hundredths % 100)) / 100 };
}
