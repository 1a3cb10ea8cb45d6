import '@mantine/dates/styles.css';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import { deliveriesKey, recoverWebhook, type WebhookEndpoint, webhooksKey } from '../../api/webhooks.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { useAction } from '../../components/use-action.ts';
import { count } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';

interface RecoverDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Sends the events that an endpoint missed since a date. It says how many there are before the person confirms. */
export function RecoverDialog({ endpoint, isOpen, onClose }: RecoverDialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<Text fw={600}>Recover events</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isOpen && <Recovery endpoint={endpoint} onClose={onClose} />}
    </Modal>
  );
}

const dayMs = 86_400_000;

/** Returns a time as the picker writes it: local, without a zone. */
function localText(date: Date): string {
  const pad = (part: number) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:00`;
}

function Recovery({ endpoint, onClose }: Omit<RecoverDialogProps, 'isOpen'>) {
  const surface = useSurface();
  const [now] = useState(() => new Date());
  const [since, setSince] = useState<string | null>(() => localText(new Date(now.getTime() - dayMs)));
  const start = since === null ? null : new Date(since.replace(' ', 'T')).toISOString();
  const counted = useQuery({
    queryKey: [...webhooksKey(surface), endpoint.id, 'recoverable', start],
    queryFn: () => recoverWebhook(surface, endpoint.id, { since: start ?? '', dry_run: true }),
    enabled: start !== null,
    gcTime: 0,
  });
  const recover = useAction({
    run: () => recoverWebhook(surface, endpoint.id, { since: start ?? '', dry_run: false }),
    invalidates: [webhooksKey(surface), deliveriesKey(surface)],
  });
  const found = counted.data?.count;
  const problem = recover.error ?? counted.error;
  return (
    <Stack gap="md">
      <Text>
        Sends again what this endpoint missed: events whose deliveries failed, and events from before it existed or
        while it was disabled. Delivered events are not repeated.
      </Text>
      <DateTimePicker
        label="Since"
        value={since}
        onChange={setSince}
        maxDate={now}
        valueFormat="D MMM YYYY HH:mm"
        size="sm"
        required
        popoverProps={{ withinPortal: true }}
      />
      {problem === null ? (
        <Alert color="gray" role="status" aria-busy={counted.isFetching}>
          <Text size="md" c="var(--mantine-color-text)">
            {found === undefined ? 'Counting the events …' : sentence(found)}
          </Text>
        </Alert>
      ) : (
        <ErrorState problem={toProblem(problem)} onRetry={() => void counted.refetch()} />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={recover.isPending}
          disabled={found === undefined || found === 0}
          onClick={() => recover.mutate(undefined, { onSuccess: onClose })}
        >
          {found === undefined || found === 0 ? 'Recover events' : `Recover ${count(found, 'event')}`}
        </Button>
      </Group>
    </Stack>
  );
}

function sentence(found: number): string {
  if (found === 0) return 'The endpoint has missed nothing since then.';
  return `${count(found, 'event')} will be sent, and may arrive in any order.`;
}
