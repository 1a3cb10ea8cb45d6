import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useMemo } from 'react';
import { toProblem } from '../../api/problem.ts';
import {
  deliveriesKey,
  deliveryQuery,
  resendDelivery,
  type WebhookDelivery,
  webhookQuery,
  webhooksKey,
} from '../../api/webhooks.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { truncateMiddle } from '../../lib/text.ts';
import { useOfferActions } from '../../shell/palette-actions.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { AttemptList } from './AttemptList.tsx';
import { prettyBody } from './body-text.ts';
import { DeliveryStatus } from './DeliveryStatus.tsx';
import { shortUrl } from './health.ts';

const webhooks = { label: 'Webhooks', to: '/webhook-endpoints' };

/** One delivery: what was sent, and each attempt with its response. It refreshes while attempts follow. */
export function DeliveryScreen() {
  const { deliveryId = '' } = useParams({ strict: false });
  const query = useQuery(deliveryQuery(useSurface(), deliveryId));
  if (query.data !== undefined) return <LoadedDelivery delivery={query.data} />;
  return (
    <Page title="Delivery" parent={webhooks}>
      {query.error === null ? (
        <Stack aria-busy="true">
          <Skeleton h={110} />
          <Skeleton h={320} />
        </Stack>
      ) : (
        <ErrorState problem={toProblem(query.error)} onRetry={() => void query.refetch()} />
      )}
    </Page>
  );
}

const failureReasons = {
  attempts_exhausted: 'All attempts failed. Resend it, or recover the endpoint’s events, once your server works.',
  endpoint_disabled: 'The endpoint was disabled before the event arrived.',
  endpoint_deleted: 'The endpoint was deleted before the event arrived.',
} as const;

function LoadedDelivery({ delivery }: { readonly delivery: WebhookDelivery }) {
  const surface = useSurface();
  const { id, event_type, webhook_id, attempts, failure_reason } = delivery;
  // A deleted endpoint is not found; its deliveries stay readable.
  const endpoint = useQuery({ ...webhookQuery(surface, webhook_id), refetchInterval: false, retry: false });
  const resend = useAction({
    run: () => resendDelivery(surface, id),
    invalidates: [deliveriesKey(surface), webhooksKey(surface)],
  });
  const canResend = allows(surface, 'webhook-deliveries', 'act') && endpoint.data?.status === 'enabled';
  const { mutate } = resend;
  const offered = useMemo(
    () =>
      canResend
        ? [{ label: 'Resend the delivery', icon: RotateCw, run: () => mutate(undefined, { onError: showProblem }) }]
        : [],
    [canResend, mutate],
  );
  useOfferActions(offered);
  const name = endpoint.data === undefined ? 'Deleted endpoint' : truncateMiddle(shortUrl(endpoint.data.url), 34);
  const parent = endpoint.data === undefined ? webhooks : { label: name, to: `/webhook-endpoints/${endpoint.data.id}` };
  return (
    <Page
      title={event_type}
      heading={
        <DetailHeader
          name={event_type}
          badges={<DeliveryStatus delivery={delivery} hasAttempts={attempts.length > 0} />}
        />
      }
      description={failure_reason === null ? undefined : failureReasons[failure_reason]}
      parent={parent}
      actions={
        canResend && (
          <Button
            leftSection={<RotateCw size={15} aria-hidden="true" />}
            loading={resend.isPending}
            onClick={() => mutate(undefined, { onError: showProblem })}
          >
            Resend
          </Button>
        )
      }
    >
      <Paper p="md" component="section" aria-label="Delivery">
        <Facts
          cols={4}
          items={[
            {
              label: 'Endpoint',
              value:
                endpoint.data === undefined ? (
                  name
                ) : (
                  <SurfaceLink to={`/webhook-endpoints/${webhook_id}`} fz="md">
                    {name}
                  </SurfaceLink>
                ),
            },
            { label: 'Created', value: <TimeText value={delivery.created_at} /> },
            { label: 'Next attempt', value: <NextAttempt delivery={delivery} /> },
            { label: 'Event id', value: <CopyableText value={delivery.event_id} label="event id" maxLength={18} /> },
          ]}
        />
      </Paper>
      <AttemptList delivery={delivery} />
      <Section
        title="Request body"
        description="The same text, byte for byte, in every attempt. The signature covers it."
      >
        <Stack gap="xs">
          <CodeBlock code={prettyBody(delivery.request_body)} label="JSON" />
          <Group gap={4}>
            <Text size="sm" c="dimmed">
              Shown with line breaks. As it was sent:
            </Text>
            <CopyableText value={delivery.request_body} label="request body as sent" maxLength={40} />
          </Group>
        </Stack>
      </Section>
    </Page>
  );
}

function NextAttempt({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { next_attempt_at: next } = delivery;
  if (next !== null && Date.parse(next) <= Date.now()) return 'Now';
  return <TimeText value={next} format="relative" fallback="None" />;
}
