import { Button, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Ticket } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type ApiKey, apiKeysQuery, revokeApiKey } from '../../api/api-keys.ts';
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
import { count, formatNumber } from '../../lib/text.ts';
import { formatRelative } from '../../lib/time.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { ApiKeyForm } from './ApiKeyForm.tsx';
import { scopesInWords } from './scopes.ts';
import { apiKeySearch, apiKeyStatuses } from './search.ts';

const purpose =
  'Your applications identify themselves to the Integration API with an API key. Give each application its own key, so that you can revoke one without stopping the others.';

/** Lists the API keys of the tenant, creates and revokes them. */
export function ApiKeysScreen(): ReactNode {
  const surface = useSurface();
  const client = useQueryClient();
  const [{ status, cursor, panel }, change] = useFilters(apiKeySearch);
  // Only the dialog knows the raw key: neither a cache nor the URL or a storage contains it.
  const [secret, setSecret] = useState<string | null>(null);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const query = useQuery(apiKeysQuery(surface, { status, cursor }));
  const mayCreate = allows(surface, 'api-keys', 'create');
  const mayRevoke = allows(surface, 'api-keys', 'delete');
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(surface) });
  const open = () => void change({ panel: 'new', cursor });
  const close = () => void change({ panel: undefined, cursor });
  const create = mayCreate && (
    <Button leftSection={<Plus size={15} aria-hidden="true" />} onClick={open}>
      New API key
    </Button>
  );
  return (
    <Page title="API keys" description="What your applications send to the Integration API." actions={create}>
      <FilterBar isFiltered={status !== undefined} onReset={() => void change({ status: undefined })}>
        <SelectFilter
          label="Status"
          options={apiKeyStatuses}
          value={status}
          onChange={(next) => void change({ status: next })}
        />
      </FilterBar>
      <DataTable
        caption="API keys"
        columns={columnsOf(mayRevoke ? setRevoked : null)}
        query={query}
        rowKey={({ id }) => id}
        empty={
          status === undefined ? (
            <EmptyState
              icon={Ticket}
              title="No API keys yet"
              description={purpose}
              {...(mayCreate && { action: create })}
            />
          ) : (
            <EmptyState icon={Ticket} title={`No API key is ${status}`} description="Choose another status." />
          )
        }
      />
      <FormDrawer title="New API key" isOpen={panel === 'new' && mayCreate} onClose={close}>
        {(onUnsaved) => (
          <ApiKeyForm
            surface={surface}
            onUnsaved={onUnsaved}
            onCancel={close}
            onCreated={(key) => {
              setSecret(key);
              close();
              void refresh();
            }}
          />
        )}
      </FormDrawer>
      <SecretDialog title="New API key" label="API key" secret={secret} onStored={() => setSecret(null)}>
        <Text size="sm" c="dimmed">
          Your application sends it in the header <code>X-API-Key</code>. If it gets lost, create another and revoke
          this one.
        </Text>
      </SecretDialog>
      <ConfirmDialog
        title="Revoke API key"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        {...(revoked !== null && { typedName: revoked.name })}
        onConfirm={async () => {
          if (revoked !== null) await revokeApiKey(surface, revoked.id);
          await refresh();
        }}
      >
        {revoked !== null && <Consequence apiKey={revoked} />}
      </ConfirmDialog>
    </Page>
  );
}

function Consequence({ apiKey }: { readonly apiKey: ApiKey }) {
  const { name, hint, last_used_at: lastUsedAt } = apiKey;
  return (
    <Stack gap="xs">
      <span>
        Revoking <b>{name}</b> (<code>{hint}</code>) cannot be undone. Every application that uses the key is refused
        with its next request.
      </span>
      <span>
        {lastUsedAt === null ? 'The key was never used.' : `The key was last used ${formatRelative(lastUsedAt)}.`}
      </span>
    </Stack>
  );
}

/** Returns where and how often a key may be used: "2 networks, 600 per minute". */
function restrictionsOf(apiKey: ApiKey): string {
  const { allowed_cidrs: networks, rate_limit_per_minute: all, rate_limit_per_address_per_minute: each } = apiKey;
  const parts = [
    ...(networks.length > 0 ? [count(networks.length, 'network')] : []),
    ...(all !== null ? [`${formatNumber(all)} per minute`] : []),
    ...(each !== null ? [`${formatNumber(each)} per minute and address`] : []),
  ];
  return parts.length === 0 ? 'None' : parts.join(', ');
}

function columnsOf(onRevoke: ((apiKey: ApiKey) => void) | null): readonly Column<ApiKey>[] {
  const columns: readonly Column<ApiKey>[] = [
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
    { header: 'Scopes', isSecondary: true, cell: ({ scopes }) => scopesInWords(scopes) },
    {
      header: 'Restrictions',
      isSecondary: true,
      cell: (apiKey) => <span title={apiKey.allowed_cidrs.join(', ') || undefined}>{restrictionsOf(apiKey)}</span>,
    },
    ...credentialTimes<ApiKey>(),
  ];
  return onRevoke === null ? columns : [...columns, revokeColumn(onRevoke)];
}
