import type { ApiKeyScope } from '../../api/credentials.ts';

/** The permissions of an API key with what they allow. */
export const scopes: readonly { readonly value: ApiKeyScope; readonly label: string; readonly description: string }[] =
  [
    { value: 'licenses:validate', label: 'Validate licenses', description: 'Verdicts and offline certificates.' },
    {
      value: 'activations:write',
      label: 'Write activations',
      description: 'Activate, send heartbeats and deactivate.',
    },
    { value: 'entitlements:check', label: 'Check entitlements', description: 'Read what a license grants.' },
    { value: 'usage:write', label: 'Write usage', description: 'Report the use of metered entitlements.' },
  ];

/** Returns what a key may do, for a column: "All" or the names. */
export function scopesInWords(granted: readonly ApiKeyScope[]): string {
  if (granted.length === scopes.length) return 'All';
  return scopes
    .filter(({ value }) => granted.includes(value))
    .map(({ label }) => label)
    .join(', ');
}
