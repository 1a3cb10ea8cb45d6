import { useQuery } from '@tanstack/react-query';
import { AppWindow } from 'lucide-react';
import type { ReactNode } from 'react';
import { type AccessToken, accessTokensQuery, revokeAccessToken } from '../../api/credentials.ts';
import type { Column } from '../../components/DataTable.tsx';
import { words } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { AccessTokenForm } from './AccessTokenForm.tsx';
import { type CredentialKind, CredentialScreen } from './CredentialScreen.tsx';
import { accessTokenSearch } from './search.ts';

const kind: CredentialKind = {
  resource: 'access-tokens',
  name: 'access token',
  short: 'token',
  secretLabel: 'access token',
  icon: AppWindow,
  title: 'Access tokens',
  description: 'What your own programs use to manage this tenant.',
  purpose:
    'Programs such as your shop manage this tenant with an access token. It belongs to the tenant and not to a person. It reaches neither members, access tokens, billing nor accounts.',
  user: 'program',
  usage: (
    <>
      Your program sends it as <code>Authorization: Bearer …</code>, without <code>X-Tenant-ID</code>.
    </>
  ),
};

const columns: readonly Column<AccessToken>[] = [
  { header: 'Role', isSecondary: true, cell: ({ role }) => words(role) },
];

/** Lists the access tokens of the tenant, creates and revokes them. */
export function AccessTokensScreen(): ReactNode {
  const [{ panel, ...filters }, change] = useFilters(accessTokenSearch);
  return (
    <CredentialScreen
      kind={kind}
      query={useQuery(accessTokensQuery(useSurface(), filters))}
      search={{ ...filters, ...(panel && { panel }) }}
      change={change}
      isFiltered={filters.status !== undefined || filters.created_by !== undefined}
      onReset={() => void change({ status: undefined, created_by: undefined })}
      noMatch={{ title: 'No access token matches', description: 'Change or reset the filters.' }}
      columns={columns}
      revoke={revokeAccessToken}
      renderForm={(props) => <AccessTokenForm {...props} />}
    />
  );
}
