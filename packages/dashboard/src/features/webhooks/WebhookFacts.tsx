import { Group, Paper, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../api/webhooks.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { countedText, subscriptionText } from './health.ts';

/** The health and the settings of an endpoint at a glance. */
export function WebhookFacts({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { health, events, created_at, id } = endpoint;
  const { succeeded, pending, failed } = health.last_24_hours;
  return (
    <Paper p="md" component="section" aria-label="Health">
      <Facts
        cols={4}
        items={[
          { label: 'Delivered in 24 hours', value: <Count value={succeeded} /> },
          { label: 'Failed in 24 hours', value: <Count value={failed} /> },
          { label: 'Waiting for an attempt', value: <Count value={pending} /> },
          { label: 'Last delivery', value: <LastDelivery delivery={health.last_delivery} /> },
          { label: 'Events', value: <Events events={events} /> },
          { label: 'Created', value: <TimeText value={created_at} /> },
          { label: 'Id', value: <CopyableText value={id} label="id" maxLength={18} /> },
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

function LastDelivery({ delivery }: { readonly delivery: WebhookEndpoint['health']['last_delivery'] }) {
  if (delivery === null) {
    return (
      <Text span inherit c="dimmed">
        None yet
      </Text>
    );
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
