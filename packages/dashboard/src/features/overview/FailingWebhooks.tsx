import { Group, Stack, Text } from '@mantine/core';
import type { Overview } from '../../api/overview.ts';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { count } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';

type FailingWebhook = Overview['failing_webhooks'][number];

const reasons: Readonly<Record<string, string>> = {
  gone: 'It answered 410 Gone, so the service stopped sending.',
  failing: 'It failed for a day, so the service stopped sending.',
};

function explain({ disabled_reason: reason, failed_deliveries: failed }: FailingWebhook): string {
  if (reason !== null) return reasons[reason] ?? 'The service stopped sending.';
  return `${count(failed, 'delivery', 'deliveries')} failed in the last 24 hours.`;
}

/** Returns what identifies an endpoint at a glance; queries of webhook URLs often contain a secret. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : `${host}${pathname}`;
}

/** The webhook endpoints that need attention. */
export function FailingWebhooks({ webhooks }: { readonly webhooks: readonly FailingWebhook[] }) {
  return (
    <Section title="Failing webhooks">
      {webhooks.length === 0 ? (
        <Text c="dimmed" size="md">
          All webhook endpoints receive their events.
        </Text>
      ) : (
        <Stack component="ul" gap={12} m={0} p={0} style={{ listStyle: 'none' }}>
          {webhooks.map((webhook) => (
            <Group component="li" key={webhook.id} justify="space-between" wrap="nowrap" gap="sm">
              <Stack gap={0} style={{ minWidth: 0 }}>
                <SurfaceLink to={`/webhook-endpoints/${webhook.id}`} size="md" truncate>
                  {nameOf(webhook.url)}
                </SurfaceLink>
                <Text size="sm" c="dimmed">
                  {explain(webhook)}
                </Text>
              </Stack>
              <StatusBadge
                status={webhook.status === 'disabled' ? 'disabled' : 'failed'}
                label={webhook.status === 'disabled' ? 'Disabled' : 'Failing'}
              />
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  );
}
