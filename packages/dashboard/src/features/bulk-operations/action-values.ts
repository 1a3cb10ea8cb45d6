import type { BulkAction } from '../../api/bulk.ts';
import { expiryOf } from '../../components/ExpiryInput.tsx';

/** The fields of the form of an action, of which each type shows its own. */
export interface ActionValues extends Record<string, unknown> {
  readonly amount: number | string;
  readonly unit: 'days' | 'months' | 'years';
  readonly expires_at: string;
  readonly policy_id: string | null;
  readonly max_activations: number | string;
  readonly entitlement: string | null;
  readonly value: string;
  readonly limit: number | string;
  readonly reason: string;
  readonly notify_holder: boolean;
}

/** The values of a new form. */
export const emptyAction: ActionValues = {
  amount: 30,
  unit: 'days',
  expires_at: '',
  policy_id: null,
  max_activations: '',
  entitlement: null,
  value: '',
  limit: '',
  reason: '',
  notify_holder: false,
};

/** The checks of a form, by the type of the action. */
export function validationsOf(type: BulkAction['type']) {
  return {
    amount: (amount: number | string) =>
      type === 'extend' && !(Number(amount) >= 1) ? 'Enter a number of at least 1.' : null,
    policy_id: (id: string | null) => (type === 'change_policy' && id === null ? 'Choose the new policy.' : null),
    entitlement: (code: string | null) =>
      type === 'grant_entitlement' && code === null ? 'Choose the entitlement.' : null,
  };
}

/** Returns the action that a form describes. */
export function actionOf(type: BulkAction['type'], values: ActionValues): BulkAction {
  const amount = Number(values.amount);
  switch (type) {
    case 'extend':
      if (values.unit === 'days') return { type, duration_days: amount };
      return { type, duration_months: values.unit === 'years' ? amount * 12 : amount };
    case 'set_expiry':
      return { type, expires_at: expiryOf(values.expires_at) };
    case 'change_policy':
      return { type, policy_id: values.policy_id ?? '' };
    case 'set_limit':
      return { type, max_activations: values.max_activations === '' ? null : Number(values.max_activations) };
    case 'grant_entitlement':
      return { type, entitlement: grantOf(values) };
    default:
      return { type };
  }
}

function grantOf({ entitlement, value, limit }: ActionValues): NonNullable<BulkAction['entitlement']> {
  return {
    code: entitlement ?? '',
    ...(value !== '' && { value: parsed(value) }),
    ...(limit !== '' && { limit: Number(limit) }),
  };
}

/** Reads `true`, `false` and numbers as what they are, and anything else as text. */
function parsed(value: string): string | number | boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}
