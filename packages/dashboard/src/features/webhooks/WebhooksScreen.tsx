import { Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createWebhook, type WebhookEndpoint, webhooksKey, webhooksQuery } from '../../api/webhooks.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Dimmed } from '../../components/Texts.tsx';
import { Plus, Webhook } from '../../icons/icons.gen.ts';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { countedText, shortUrl, shownStatus, subscriptionText } from './health.ts';
import { webhooksSearch } from './search.ts';
import { WebhookForm } from './WebhookForm.tsx';

const columns: readonly Column<WebhookEndpoint>[] = [
  {
    header: 'Endpoint',
    cell: ({ url, description }) => (
      <Stack gap={0} maw={{ base: 190, sm: 420 }}>
        <Text span inherit truncate title={url}>
          {shortUrl(url)}
        </Text>
        {description !== null && (
          <Text span size="xs" c="dimmed" fw={400} truncate>
            {description}
          </Text>
        )}
      </Stack>
    ),
  },
  { header: 'Status', cell: (row) => <EndpointStatus endpoint={row} /> },
  { header: 'Events', cell: ({ events }) => subscriptionText(events), isSecondary: true },
  { header: 'Last 24 hours', cell: ({ health }) => <DayText health={health} />, isSecondary: true },
  timeColumn('Last delivery', ({ health }) => health.last_delivery?.created_at, {
    format: 'relative',
    fallback: 'None yet',
    isSecondary: true,
  }),
];

/** The status of an endpoint: enabled, failing or disabled. */
export function EndpointStatus({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const status = shownStatus(endpoint);
  return <StatusBadge status={status} {...(status === 'failing' && { tone: 'warning' })} />;
}

function DayText({ health }: { readonly health: WebhookEndpoint['health'] }) {
  const { pending, succeeded, failed } = health.last_24_hours;
  const retrying = health.retrying_deliveries;
  const waiting = Math.max(0, pending - retrying);
  if (pending + succeeded + failed + retrying === 0) {
    return <Dimmed>Nothing sent</Dimmed>;
  }
  return (
    <Group gap="xs" wrap="nowrap" className="tabular">
      {failed > 0 && <b>{countedText(failed)} failed</b>}
      {retrying > 0 && <b>{countedText(retrying)} retrying</b>}
      {waiting > 0 && <span>{countedText(waiting)} waiting</span>}
      {succeeded > 0 && <span>{countedText(succeeded)} delivered</span>}
    </Group>
  );
}

/** The list of a tenant's webhook endpoints. */
export default function WebhooksScreen() {
  const surface = useSurface();
  const [{ panel, ...filters }, change, bar] = useFilters(webhooksSearch, 'status');
  const query = useQuery(webhooksQuery(surface, filters));
  const canCreate = allows(surface, 'webhooks', 'create');
  const create = () => void change({ panel: 'new' });
  const button = <ActionButton icon={Plus} label="New webhook endpoint" onClick={create} />;
  return (
    <Page
      title="Webhooks"
      description="We send events to your server within seconds when a license, a device or a limit changes."
      actions={canCreate && button}
    >
      <FilterBar filters={bar}>
        <SelectFilter name="status" label="Status" options={['enabled', 'disabled']} />
      </FilterBar>
      <DataTable
        caption="Webhook endpoints"
        columns={columns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/webhook-endpoints/${id}`)}
        empty={{
          icon: Webhook,
          title: 'No webhook endpoints yet',
          description:
            'A webhook endpoint is a URL on your server. Use events to send license mails, update your CRM, or react when a customer reaches a limit.',
          action: canCreate && button,
          noMatch: bar.isFiltered && {
            title: 'No endpoints match',
            description: 'No webhook endpoint has this status.',
          },
        }}
      />
      <NewWebhook isOpen={panel === 'new' && canCreate} onClose={() => void change({ panel: undefined })} />
    </Page>
  );
}

interface NewWebhookProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a webhook endpoint, shows its secret once, and opens its page. */
function NewWebhook({ isOpen, onClose }: NewWebhookProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const open = (id: string) => navigate(`/webhook-endpoints/${id}`);
  return (
    <>
      <FormDrawer title="New webhook endpoint" isOpen={isOpen && created === null} onClose={onClose}>
        <WebhookForm
          submitLabel="Create webhook endpoint"
          submit={(values, key) => createWebhook(surface, values, key)}
          onSaved={async ({ id, secret }) => {
            // A repeated request is answered without the secret; the page offers to replace it.
            if (secret === null) await open(id);
            else setCreated({ id, secret });
            await client.invalidateQueries({ queryKey: webhooksKey(surface) });
          }}
        />
      </FormDrawer>
      <SecretDialog
        title="Webhook endpoint created"
        label="signing secret"
        secret={created?.secret ?? null}
        onStored={() => {
          if (created !== null) void open(created.id);
          setCreated(null);
        }}
      >
        Your server uses this secret to verify that requests come from this service. The next page shows how.
      </SecretDialog>
    </>
  );
}
