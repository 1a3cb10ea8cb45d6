import { useQuery } from '@tanstack/react-query';
import type { BulkAction, BulkOperation, BulkPreview } from '../../api/bulk.ts';
import { policyQuery } from '../../api/tenant-catalog.ts';
import { termLength } from '../../components/ExpiryText.tsx';
import { count, formatNumber, words } from '../../lib/text.ts';
import { formatDateTime } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';

/** What an action is called, in the order of the menu. */
export const actionNames = {
  extend: 'Extend',
  set_expiry: 'Set expiry',
  change_policy: 'Change policy',
  set_limit: 'Set device limit',
  grant_entitlement: 'Grant entitlement',
  suspend: 'Suspend',
  reinstate: 'Reinstate',
  revoke: 'Revoke',
} as const satisfies Record<BulkAction['type'], string>;

/** Returns the title of a dialog, such as "Suspend 3 licenses". */
export function actionTitle(type: BulkAction['type'], what: string): string {
  switch (type) {
    case 'set_expiry':
      return `Set the expiry of ${what}`;
    case 'change_policy':
      return `Change the policy of ${what}`;
    case 'set_limit':
      return `Set the device limit of ${what}`;
    case 'grant_entitlement':
      return `Grant an entitlement to ${what}`;
    default:
      return `${actionNames[type]} ${what}`;
  }
}

/** Returns what an operation does to each license. */
export function actionText({ action }: Pick<BulkOperation, 'action'>): string {
  const { type, duration_days, duration_months, expires_at, max_activations, entitlement } = action as BulkAction;
  switch (type as BulkAction['type'] | 'undo') {
    case 'undo':
      return 'Undo';
    case 'extend':
      return `Extend by ${termLength(duration_days ?? null, duration_months ?? null)}`;
    case 'set_expiry':
      return expires_at == null ? 'Remove the expiry' : `Set the expiry to ${formatDateTime(expires_at)}`;
    case 'set_limit':
      return max_activations == null
        ? 'Use the limit of the policy'
        : `Set the limit to ${count(max_activations, 'device')}`;
    case 'grant_entitlement':
      return `Grant ${entitlement?.code ?? 'an entitlement'}`;
    default:
      return actionNames[type];
  }
}

/** Returns what an operation has done, or would do, as a sentence. */
export function resultText({ changed, unchanged, refused }: Pick<BulkPreview, 'changed' | 'unchanged' | 'refused'>) {
  const parts = [
    unchanged > 0 ? `${formatNumber(unchanged)} already up to date` : '',
    refused > 0 ? `${formatNumber(refused)} refused` : '',
  ].filter((part) => part !== '');
  return `${count(changed, 'license')} changed${parts.map((part) => `, ${part}`).join('')}`;
}

const fieldNames: Readonly<Record<string, string>> = {
  policy_id: 'Policy',
  status_reason: 'Reason',
  expires_at: 'Expires',
  max_activations: 'Device limit',
};

/** Returns the name of a changed field. */
export function fieldName(field: string): string {
  const [, code] = /^entitlements\.(.+)$/.exec(field) ?? [];
  return code ?? fieldNames[field] ?? words(field);
}

interface ChangedValueProps {
  readonly field: string;
  readonly value: unknown;
}

/** A value of a changed field, in words. */
export function ChangedValue({ field, value }: ChangedValueProps) {
  if (field === 'policy_id' && typeof value === 'string') return <PolicyName id={value} />;
  return valueText(field, value);
}

function valueText(field: string, value: unknown): string {
  if (value === null)
    return field === 'expires_at' ? 'No date' : field === 'max_activations' ? 'As the policy' : 'None';
  if (field === 'expires_at') return formatDateTime(String(value));
  if (field === 'status') return words(String(value));
  if (typeof value !== 'object') return String(value);
  const { value: granted, limit } = value as { readonly value?: unknown; readonly limit?: unknown };
  return granted === undefined || granted === null ? `Limit ${String(limit ?? 'unlimited')}` : String(granted);
}

function PolicyName({ id }: { readonly id: string }) {
  const { data } = useQuery(policyQuery(useSurface(), id));
  return data?.name ?? '…';
}
