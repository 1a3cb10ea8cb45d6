import { Button, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { AppWindow, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type AccessToken, accessTokensQuery, revokeAccessToken } from '../../api/access-tokens.ts';
import { keyOf } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { credentialTimes, revokeColumn } from '../../components/credential-columns.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { words } from '../../lib/text.ts';
import { formatRelative } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { AccessTokenForm } from './AccessTokenForm.tsx';
import { accessTokenSearch, accessTokenStatuses } from './search.ts';

const purpose =
  'Programs such as your shop manage this tenant with an access token. It belongs to the tenant and not to a person. It reaches neither members, access tokens, billing nor accounts.';

/** Lists the access tokens of the tenant, creates and revokes them. */
export function AccessTokensScreen(): ReactNode {
  const surface = useSurface();
  const client = useQueryClient();
  const [{ status, created_by, cursor, panel }, change] = useFilters(accessTokenSearch);
  // Only the dialog knows the raw token: neither a cache nor the URL or a storage contains it.
  const [secret, setSecret] = useState<string | null>(null);
  const [revoked, setRevoked] = useState<AccessToken | null>(null);
  const query = useQuery(accessTokensQuery(surface, { status, created_by, cursor }));
  const mayCreate = allows(surface, 'access-tokens', 'create');
  const mayRevoke = allows(surface, 'access-tokens', 'delete');
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(surface) });
  const close = () => void change({ panel: undefined, cursor });
  const create = mayCreate && (
    <Button leftSection={<Plus size={15} aria-hidden="true" />} onClick={() => void change({ panel: 'new', cursor })}>
      New access token
    </Button>
  );
  const isFiltered = status !== undefined || created_by !== undefined;
  const reset = () => void change({ status: undefined, created_by: undefined });
  return (
    <Page title="Access tokens" description="What your own programs use to manage this tenant." actions={create}>
      <FilterBar isFiltered={isFiltered} onReset={reset}>
        <SelectFilter
          label="Status"
          options={accessTokenStatuses}
          value={status}
          onChange={(next) => void change({ status: next })}
        />
      </FilterBar>
      <DataTable
        caption="Access tokens"
        columns={columnsOf(mayRevoke ? setRevoked : null)}
        query={query}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <EmptyState icon={AppWindow} title="No access token matches" description="Change or reset the filters." />
          ) : (
            <EmptyState
              icon={AppWindow}
              title="No access tokens yet"
              description={purpose}
              {...(mayCreate && { action: create })}
            />
          )
        }
      />
      <FormDrawer title="New access token" isOpen={panel === 'new' && mayCreate} onClose={close}>
        {(onUnsaved) => (
          <AccessTokenForm
            surface={surface}
            onUnsaved={onUnsaved}
            onCancel={close}
            onCreated={(token) => {
              setSecret(token);
              close();
              void refresh();
            }}
          />
        )}
      </FormDrawer>
      <SecretDialog title="New access token" label="access token" secret={secret} onStored={() => setSecret(null)}>
        <Text size="sm" c="dimmed">
          Your program sends it as <code>Authorization: Bearer …</code>, without <code>X-Tenant-ID</code>.
        </Text>
      </SecretDialog>
      <ConfirmDialog
        title="Revoke access token"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        {...(revoked !== null && { typedName: revoked.name })}
        onConfirm={async () => {
          if (revoked !== null) await revokeAccessToken(surface, revoked.id);
          await refresh();
        }}
      >
        {revoked !== null && <Consequence token={revoked} />}
      </ConfirmDialog>
    </Page>
  );
}

function Consequence({ token }: { readonly token: AccessToken }) {
  const { name, hint, last_used_at: lastUsedAt } = token;
  return (
    <Stack gap="xs">
      <span>
        Revoking <b>{name}</b> (<code>{hint}</code>) cannot be undone. Every program that uses the token is refused with
        its next request.
      </span>
      <span>
        {lastUsedAt === null ? 'The token was never used.' : `The token was last used ${formatRelative(lastUsedAt)}.`}
      </span>
    </Stack>
  );
}

function columnsOf(onRevoke: ((token: AccessToken) => void) | null): readonly Column<AccessToken>[] {
  const columns: readonly Column<AccessToken>[] = [
    {
      header: 'Name',
      cell: ({ name, hint, last_used_at: lastUsedAt }) => (
        <Stack gap={0}>
          <Text size="md" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="sm" c="dimmed" ff="monospace">
            {hint}
          </Text>
          <Text size="sm" c="dimmed" hiddenFrom="sm">
            {lastUsedAt === null ? 'Never used' : `Used ${formatRelative(lastUsedAt)}`}
          </Text>
        </Stack>
      ),
    },
    { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    { header: 'Role', isSecondary: true, cell: ({ role }) => words(role) },
    ...credentialTimes<AccessToken>(),
  ];
  return onRevoke === null ? columns : [...columns, revokeColumn(onRevoke)];
}
