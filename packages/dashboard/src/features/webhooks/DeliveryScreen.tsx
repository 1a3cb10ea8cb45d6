import { Accordion, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  deliveriesKey,
  deliveryQuery,
  resendDelivery,
  type WebhookDelivery,
  webhookQuery,
  webhooksKey,
} from '../../api/webhooks.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { CircleCheck, CircleX, RotateCw } from '../../icons/icons.gen.ts';
import { formatNumber, prettyJson, truncateMiddle } from '../../lib/text.ts';
import { formatExact } from '../../lib/time.ts';
import { useOfferActions } from '../../shell/palette.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { DeliveryStatus } from './DeliveryList.tsx';
import { outcomeText, shortUrl } from './health.ts';

const webhooks = { label: 'Webhooks', to: '/webhook-endpoints' };

/** One delivery: what was sent, and each attempt with its response. It refreshes while attempts follow. */
export default function DeliveryScreen({ deliveryId }: { readonly deliveryId: string }) {
  const query = useQuery(deliveryQuery(useSurface(), deliveryId));
  if (query.data !== undefined) return <LoadedDelivery delivery={query.data} />;
  return (
    <UnloadedPage
      title="Delivery"
      parent={webhooks}
      error={query.error}
      refetch={query.refetch}
      skeleton={
        <Stack aria-busy="true">
          <Skeleton h={110} />
          <Skeleton h={320} />
        </Stack>
      }
    />
  );
}

const failureReasons = {
  attempts_exhausted:
    'All attempts failed. When your server works again, resend the delivery or recover the events of the endpoint.',
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
  const send = () => resend.mutate(undefined, { onError: showProblem });
  useOfferActions([canResend && { label: 'Resend delivery', icon: RotateCw, run: send }]);
  const name = endpoint.data === undefined ? 'Deleted endpoint' : truncateMiddle(shortUrl(endpoint.data.url), 34);
  const parent = endpoint.data === undefined ? webhooks : { label: name, to: `/webhook-endpoints/${endpoint.data.id}` };
  return (
    <Page
      title={event_type}
      badges={<DeliveryStatus delivery={delivery} hasAttempts={attempts.length > 0} />}
      description={failure_reason === null ? undefined : failureReasons[failure_reason]}
      parent={parent}
      actions={canResend && <ActionButton icon={RotateCw} label="Resend" loading={resend.isPending} onClick={send} />}
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
            { label: 'Event ID', value: <CopyableText value={delivery.event_id} label="event ID" maxLength={18} /> },
          ]}
        />
      </Paper>
      <AttemptList delivery={delivery} />
      <Section title="Request body" description="Every attempt sends exactly this text, and the signature covers it.">
        <Stack gap="xs">
          <CodeBlock code={prettyJson(delivery.request_body)} label="JSON" />
          <Group gap={4}>
            <Hint>This is formatted with line breaks. Copy the body as it was sent:</Hint>
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

type Attempt = WebhookDelivery['attempts'][number];

/** The attempts of a delivery, newest first, each with its request and its response. */
function AttemptList({ delivery }: { readonly delivery: WebhookDelivery }) {
  const attempts = delivery.attempts.map((attempt, index) => ({ attempt, number: index + 1 })).reverse();
  const newest = attempts[0]?.attempt.at ?? null;
  const [opened, setOpened] = useState<string[]>([]);
  // A new attempt opens automatically, because the person waits for it.
  useEffect(() => {
    if (newest !== null) setOpened((before) => [...before, newest]);
  }, [newest]);
  return (
    <Section title="Attempts">
      {attempts.length === 0 ? (
        <Text c="dimmed" role="status">
          {delivery.status === 'pending' ? 'The first attempt starts within seconds.' : 'There were no attempts.'}
        </Text>
      ) : (
        <Accordion variant="separated" multiple value={opened} onChange={setOpened} order={3}>
          {attempts.map(({ attempt, number }) => (
            <Accordion.Item key={attempt.at} value={attempt.at}>
              <Accordion.Control>
                <AttemptHeading attempt={attempt} number={number} />
              </Accordion.Control>
              <Accordion.Panel>
                <AttemptDetails attempt={attempt} number={number} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Section>
  );
}

function AttemptHeading({ attempt, number }: { readonly attempt: Attempt; readonly number: number }) {
  const isSuccess = attempt.error === null;
  const Icon = isSuccess ? CircleCheck : CircleX;
  return (
    <Group gap="xs" wrap="wrap">
      <Icon
        size={16}
        aria-hidden="true"
        color={isSuccess ? 'var(--mantine-color-teal-text)' : 'var(--mantine-color-red-text)'}
      />
      <Text span fw={600}>
        Attempt {number}
      </Text>
      <Text span>{isSuccess ? 'succeeded' : 'failed'}</Text>
      <Text span ff="monospace" size="sm">
        {outcomeText(attempt)}
      </Text>
      <Text span c="dimmed" size="sm" className="tabular">
        {formatNumber(attempt.duration_ms)} ms · {attempt.trigger === 'manual' ? 'resent manually' : 'scheduled'}
      </Text>
      <Text span c="dimmed" size="sm">
        <time dateTime={attempt.at}>{formatExact(attempt.at)}</time>
      </Text>
    </Group>
  );
}

function AttemptDetails({ attempt, number }: { readonly attempt: Attempt; readonly number: number }) {
  const headers = Object.entries(attempt.request_headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <Stack gap="md">
      <Stack gap={4}>
        <Text fw={600} size="sm">
          Request headers
        </Text>
        <CodeBlock
          code={[...headers, 'webhook-signature: (not stored)'].join('\n')}
          label={`request headers of attempt ${number}`}
        />
      </Stack>
      <Stack gap={4}>
        <Text fw={600} size="sm">
          Response
        </Text>
        <Text size="sm">
          {outcomeText(attempt)} after {formatNumber(attempt.duration_ms)} ms, <TimeText value={attempt.at} />
        </Text>
        <ResponseBody body={attempt.response_body} label={`response body of attempt ${number}`} />
      </Stack>
    </Stack>
  );
}

function ResponseBody({ body, label }: { readonly body: string | null; readonly label: string }) {
  if (body === null) return null;
  if (body === '') {
    return <Hint>The response has no body.</Hint>;
  }
  return <CodeBlock code={prettyJson(body)} label={label} />;
}
