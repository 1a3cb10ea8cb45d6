import { Skeleton, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { toProblem } from '../../api/problem.ts';
import { type WebhookEndpoint, webhookQuery } from '../../api/webhooks.ts';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { DeliveryList } from './DeliveryList.tsx';
import { EditWebhook } from './EditWebhook.tsx';
import { shortUrl } from './health.ts';
import { webhookSearch } from './search.ts';
import { VerifySignature } from './VerifySignature.tsx';
import { WebhookActions } from './WebhookActions.tsx';
import { WebhookAlert } from './WebhookAlert.tsx';
import { WebhookFacts } from './WebhookFacts.tsx';
import { EndpointStatus } from './WebhooksScreen.tsx';

const parent = { label: 'Webhooks', to: '/webhook-endpoints' };

/** One webhook endpoint: its health, its deliveries and how to verify them. */
export function WebhookScreen() {
  const { webhookId = '' } = useParams({ strict: false });
  const query = useQuery(webhookQuery(useSurface(), webhookId));
  if (query.data !== undefined) return <LoadedWebhook endpoint={query.data} />;
  return (
    <Page title="Webhook endpoint" parent={parent}>
      {query.error === null ? (
        <Stack aria-busy="true">
          <Skeleton h={132} />
          <Skeleton h={320} />
        </Stack>
      ) : (
        <ErrorState problem={toProblem(query.error)} onRetry={() => void query.refetch()} />
      )}
    </Page>
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
      heading={<DetailHeader name={name} badges={<EndpointStatus endpoint={endpoint} />} />}
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
      <EditWebhook
        endpoint={endpoint}
        isOpen={panel === 'edit' && canUpdate}
        onClose={() => void change({ panel: undefined })}
      />
    </Page>
  );
}
