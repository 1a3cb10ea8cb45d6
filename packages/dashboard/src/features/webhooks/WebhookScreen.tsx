import { Alert, Group, Paper, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { productQuery } from '../../api/tenant-catalog.ts';
import { updateWebhook, type WebhookEndpoint, webhookQuery, webhooksKey } from '../../api/webhooks.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { AlertText, Dimmed } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useAction } from '../../components/use-action.ts';
import { CircleOff, KeyRound, TriangleAlert } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { DeliveryList } from './DeliveryList.tsx';
import { countedText, failuresMax, shortUrl, subscriptionText } from './health.ts';
import { webhookSearch } from './search.ts';
import { VerifySignature } from './VerifySignature.tsx';
import { WebhookActions } from './WebhookActions.tsx';
import { WebhookForm } from './WebhookForm.tsx';
import { EndpointStatus } from './WebhooksScreen.tsx';

const parent = { label: 'Webhooks', to: '/webhook-endpoints' };

/** One webhook endpoint: its health, its deliveries and how to verify them. */
export default function WebhookScreen({ webhookId }: { readonly webhookId: string }) {
  const query = useQuery(webhookQuery(useSurface(), webhookId));
  if (query.data !== undefined) return <LoadedWebhook endpoint={query.data} />;
  return (
    <UnloadedPage
      title="Webhook endpoint"
      parent={parent}
      error={query.error}
      refetch={query.refetch}
      skeleton={
        <Stack aria-busy="true">
          <Skeleton h={132} />
          <Skeleton h={320} />
        </Stack>
      }
    />
  );
}

function LoadedWebhook({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const surface = useSurface();
  const [{ tab = 'deliveries', panel }, change] = useFilters(webhookSearch);
  const name = shortUrl(endpoint.url);
  const canUpdate = allows(surface, 'webhooks', 'update');
  return (
    <Page
      title={name}
      badges={<EndpointStatus endpoint={endpoint} />}
      description={endpoint.description ?? undefined}
      parent={parent}
      actions={<WebhookActions endpoint={endpoint} onEdit={() => void change({ panel: 'edit' })} />}
    >
      <WebhookAlert endpoint={endpoint} />
      <WebhookFacts endpoint={endpoint} />
      <Tabs value={tab} onChange={(next) => void change({ tab: next === 'deliveries' ? undefined : next })}>
        <Tabs.List>
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="verify">Verify signatures</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries" pt="md">
          <DeliveryList endpoint={endpoint} />
        </Tabs.Panel>
        <Tabs.Panel value="verify" pt="md">
          <VerifySignature />
        </Tabs.Panel>
      </Tabs>
      <FormDrawer
        title="Edit webhook endpoint"
        isOpen={panel === 'edit' && canUpdate}
        onClose={() => void change({ panel: undefined })}
      >
        <WebhookForm
          endpoint={endpoint}
          submitLabel="Save changes"
          submit={(values) => updateWebhook(surface, endpoint.id, values)}
        />
      </FormDrawer>
    </Page>
  );
}

/** The health and the settings of an endpoint at a glance. */
function WebhookFacts({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { health, events, created_at, id, product_id, headers } = endpoint;
  const { succeeded, pending, failed } = health.last_24_hours;
  const retrying = health.retrying_deliveries;
  return (
    <Paper p="md" component="section" aria-label="Health">
      <Facts
        cols={4}
        items={[
          { label: 'Delivered in 24 hours', value: <Count value={succeeded} /> },
          { label: 'Failed in 24 hours', value: <Count value={failed} /> },
          { label: 'Retrying', value: <Count value={retrying} /> },
          { label: 'Waiting for the first attempt', value: <Count value={Math.max(0, pending - retrying)} /> },
          { label: 'Last delivery', value: <LastDelivery delivery={health.last_delivery} /> },
          { label: 'Events', value: <Events events={events} /> },
          { label: 'Product', value: <ProductOf id={product_id} /> },
          { label: 'Headers', value: headers.map(({ name }) => name).join(', ') || 'None' },
          { label: 'Created', value: <TimeText value={created_at} /> },
          { label: 'ID', value: <CopyableText value={id} label="ID" maxLength={18} /> },
        ]}
      />
    </Paper>
  );
}

function Count({ value }: { readonly value: number }) {
  return (
    <Text span inherit className="tabular" fw={600}>
      {countedText(value)}
    </Text>
  );
}

function Events({ events }: { readonly events: readonly string[] }) {
  if (events[0] === '*' || events.length === 1) return subscriptionText(events);
  return (
    <details>
      <summary style={{ cursor: 'pointer' }}>{subscriptionText(events)}</summary>
      <Text size="sm" ff="monospace" style={{ whiteSpace: 'pre-line' }}>
        {events.join('\n')}
      </Text>
    </details>
  );
}

function ProductOf({ id }: { readonly id: string | null }) {
  const { data } = useQuery({ ...productQuery(useSurface(), id ?? ''), enabled: id !== null });
  if (id === null) return 'All products';
  return (
    <SurfaceLink to={`/products/${id}`} fz="md">
      {data?.name ?? id}
    </SurfaceLink>
  );
}

function LastDelivery({ delivery }: { readonly delivery: WebhookEndpoint['health']['last_delivery'] }) {
  if (delivery === null) {
    return <Dimmed>None yet</Dimmed>;
  }
  return (
    <Group gap={8}>
      <SurfaceLink to={`/webhook-deliveries/${delivery.id}`} fz="md">
        <TimeText value={delivery.created_at} format="relative" />
      </SurfaceLink>
      <StatusBadge status={delivery.status} />
    </Group>
  );
}

const disabledReasons = {
  requested: 'A member of your team disabled it.',
  gone: 'Your server responded with 410 Gone, which means that it does not accept events any longer.',
  failing: `At least ${failuresMax} deliveries in a row failed over a day or more.`,
} as const;

interface WebhookAlertProps {
  readonly endpoint: WebhookEndpoint;
}

/** Says what needs attention: a disabled endpoint, one that keeps failing, or a secret that is about to end. */
function WebhookAlert({ endpoint }: WebhookAlertProps) {
  const { status, health, previous_secret_expires_at: expiresAt } = endpoint;
  return (
    <>
      {status === 'disabled' && <DisabledAlert endpoint={endpoint} />}
      {health.is_failing && <FailingAlert endpoint={endpoint} />}
      {expiresAt !== null && (
        <Alert color="blue" icon={<KeyRound size={18} aria-hidden="true" />} title="The secret was replaced">
          <AlertText>
            Deliveries are signed with both the new and the previous secret. Update your server before the previous
            secret expires <TimeText value={expiresAt} format="relative" />.
          </AlertText>
        </Alert>
      )}
    </>
  );
}

function DisabledAlert({ endpoint }: WebhookAlertProps) {
  const surface = useSurface();
  const enable = useAction({
    run: () => updateWebhook(surface, endpoint.id, { status: 'enabled' }),
    invalidates: [webhooksKey(surface)],
  });
  const reason = endpoint.disabled_reason;
  return (
    <Alert color="red" icon={<CircleOff size={18} aria-hidden="true" />} title="This endpoint does not receive events">
      <Stack gap="sm" align="flex-start">
        <AlertText>
          {reason === null ? '' : `${disabledReasons[reason]} `}
          New events are kept. When your server works, enable the endpoint, then recover the events that it missed.
        </AlertText>
        {allows(surface, 'webhooks', 'update') && (
          <RunButton action={enable} size="xs" variant="default">
            Enable endpoint
          </RunButton>
        )}
      </Stack>
    </Alert>
  );
}

function FailingAlert({ endpoint }: WebhookAlertProps) {
  const { failed_deliveries: failed, retrying_deliveries: retrying } = endpoint.health;
  const { failing_since: since, disabled_from: from } = endpoint.health;
  return (
    <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden="true" />} title="Deliveries fail">
      <AlertText>
        {retrying > 0 && <>{count(retrying, 'delivery', 'deliveries')} failed and will be tried again. </>}
        {failed > 0 && (
          <>
            {count(failed, 'delivery', 'deliveries')} in a row failed after all attempts, the first one{' '}
            <TimeText value={since} format="relative" />. After {failuresMax} failures in a row, the service disables
            the endpoint, <TimeText value={from} format="relative" /> at the earliest. A successful delivery resets the
            count.
          </>
        )}
      </AlertText>
    </Alert>
  );
}
