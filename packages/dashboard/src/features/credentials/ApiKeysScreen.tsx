import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ApiKey, type ApiKeyScope, apiKeysQuery, revokeApiKey } from '../../api/credentials.ts';
import type { Column } from '../../components/DataTable.tsx';
import { Ticket } from '../../icons/icons.gen.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { ApiKeyForm, scopes } from './ApiKeyForm.tsx';
import { ApiKeyReplacement } from './ApiKeyReplacement.tsx';
import { type CredentialKind, CredentialScreen } from './CredentialScreen.tsx';
import { apiKeySearch } from './search.ts';

const kind: CredentialKind = {
  resource: 'api-keys',
  name: 'API key',
  short: 'key',
  secretLabel: 'API key',
  icon: Ticket,
  title: 'API keys',
  description: 'Your applications authenticate to the Integration API with these keys.',
  purpose:
    'Applications authenticate to the Integration API with an API key. Give each application its own key, so that you can revoke one key without affecting the others.',
  user: 'application',
  usage: (
    <>
      Your application sends it in the header <code>X-API-Key</code>. If it gets lost, replace it.
    </>
  ),
};

const columns: readonly Column<ApiKey>[] = [
  { header: 'Scopes', isSecondary: true, cell: ({ scopes }) => scopesInWords(scopes) },
  {
    header: 'Restrictions',
    isSecondary: true,
    cell: (apiKey) => <span title={apiKey.allowed_cidrs.join(', ') || undefined}>{restrictionsOf(apiKey)}</span>,
  },
];

/** Lists the API keys of the tenant, creates, replaces and revokes them. */
export default function ApiKeysScreen(): ReactNode {
  const [{ panel: _panel, ...search }, , filters] = useFilters(apiKeySearch, 'status');
  return (
    <CredentialScreen
      kind={kind}
      query={useQuery(apiKeysQuery(useSurface(), search))}
      filters={filters}
      noMatch={{ title: `No API key is ${search.status}`, description: 'Choose another status.' }}
      columns={columns}
      revoke={revokeApiKey}
      renderForm={(props) => <ApiKeyForm {...props} />}
      renderEdit={(apiKey) => <ApiKeyForm apiKey={apiKey} />}
      renderReplacement={(apiKey, props) => <ApiKeyReplacement {...props} apiKey={apiKey} />}
    />
  );
}

/** Returns where and how often a key may be used: "2 networks, 600 per minute". */
function restrictionsOf(apiKey: ApiKey): string {
  const {
    product_id,
    allowed_cidrs: networks,
    rate_limit_per_minute: all,
    rate_limit_per_address_per_minute: each,
  } = apiKey;
  const parts = [
    ...(product_id !== null ? ['1 product'] : []),
    ...(networks.length > 0 ? [count(networks.length, 'network')] : []),
    ...(all !== null ? [`${formatNumber(all)} per minute`] : []),
    ...(each !== null ? [`${formatNumber(each)} per minute and address`] : []),
  ];
  return parts.length === 0 ? 'None' : parts.join(', ');
}

/** Returns what a key may do, for a column: "All" or the names. */
function scopesInWords(granted: readonly ApiKeyScope[]): string {
  if (granted.length === scopes.length) return 'All';
  return scopes
    .filter(({ value }) => granted.includes(value))
    .map(({ label }) => label)
    .join(', ');
}
