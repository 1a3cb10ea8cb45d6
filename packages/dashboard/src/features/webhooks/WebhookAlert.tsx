import { Alert, Button, Stack, Text } from '@mantine/core';
import { CircleOff, KeyRound, TriangleAlert } from 'lucide-react';
import { updateWebhook, type WebhookEndpoint, webhooksKey } from '../../api/webhooks.ts';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { count } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { failuresMax } from './health.ts';

const disabledReasons = {
  requested: 'Somebody disabled it.',
  gone: 'Your server answered 410 Gone, which means that it accepts no more events.',
  failing: `At least ${failuresMax} deliveries in a row failed over a day or more.`,
} as const;

interface WebhookAlertProps {
  readonly endpoint: WebhookEndpoint;
}

/** Says what needs attention: a disabled endpoint, one that keeps failing, or a secret that is about to end. */
export function WebhookAlert({ endpoint }: WebhookAlertProps) {
  const { status, health, previous_secret_expires_at: expiresAt } = endpoint;
  return (
    <>
      {status === 'disabled' && <DisabledAlert endpoint={endpoint} />}
      {status === 'enabled' && health.failed_deliveries > 0 && <FailingAlert endpoint={endpoint} />}
      {expiresAt !== null && (
        <Alert color="blue" icon={<KeyRound size={18} aria-hidden="true" />} title="The secret was replaced">
          <Text size="md" c="var(--mantine-color-text)">
            Deliveries are signed with the new and the previous secret. The previous one ends{' '}
            <TimeText value={expiresAt} format="relative" />: change your server before.
          </Text>
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
    <Alert color="red" icon={<CircleOff size={18} aria-hidden="true" />} title="This endpoint receives nothing">
      <Stack gap="sm" align="flex-start">
        <Text size="md" c="var(--mantine-color-text)">
          {reason === null ? '' : `${disabledReasons[reason]} `}
          Events that happen meanwhile are kept. Enable the endpoint once your server works, then recover what it
          missed.
        </Text>
        {allows(surface, 'webhooks', 'update') && (
          <Button
            size="xs"
            variant="default"
            loading={enable.isPending}
            onClick={() => enable.mutate(undefined, { onError: showProblem })}
          >
            Enable endpoint
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function FailingAlert({ endpoint }: WebhookAlertProps) {
  const { failed_deliveries: failed, failing_since: since, disabled_from: from } = endpoint.health;
  return (
    <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden="true" />} title="Deliveries fail">
      <Text size="md" c="var(--mantine-color-text)">
        {count(failed, 'delivery', 'deliveries')} in a row failed after all attempts, the first one{' '}
        <TimeText value={since} format="relative" />. The service disables the endpoint at {failuresMax} failures in a
        row, <TimeText value={from} format="relative" /> at the earliest. One success ends the count.
      </Text>
    </Alert>
  );
}
