import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';

interface ActivationCapacity {
  /** The seats of the license. Null: unlimited. */
  readonly limit: number | null;
  /** The maximum number of activations, overage included. Null: unlimited. */
  readonly admitted: number | null;
}

/** Returns the seats of a license: its own limit, otherwise its policy's. Null: unlimited. */
export function activationLimit(
  license: Pick<LicensesTable, 'max_activations'>,
  policy: Pick<PoliciesTable, 'max_activations'>,
): number | null {
  return license.max_activations ?? policy.max_activations;
}

/**
 * Returns the seats of a license and the number of activations that it admits. The overage is rounded down: 50 % on a
 * limit of 2 admits 3; on a limit of 1 it admits 1.
 */
export function activationCapacity(
  license: Pick<LicensesTable, 'max_activations'>,
  policy: Pick<PoliciesTable, 'max_activations' | 'activation_overage_percent'>,
): ActivationCapacity {
  const limit = activationLimit(license, policy);
  const percent = policy.activation_overage_percent;
  if (limit === null || percent === null) return { limit, admitted: null };
  const hundredths = limit * (100 + percent);
  return { limit, admitted: (hundredths - (hundredths % 100)) / 100 };
}

/**
 * Returns how many of the `active` devices of a license are above its limit and overage: after the limit was lowered.
 * While there are any, every device is refused, so their holder may release them whatever `max_deactivations` says.
 */
export function excessActivations(
  license: Pick<LicensesTable, 'max_activations'>,
  policy: Pick<PoliciesTable, 'max_activations' | 'activation_overage_percent'>,
  active: number,
): number {
  const { admitted } = activationCapacity(license, policy);
  return admitted === null ? 0 : Math.max(0, active - admitted);
}
