import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Connection, connectionsKey } from '../../api/connections.ts';
import { licensesKey } from '../../api/licenses.ts';
import { eventQuery, retryEvent } from '../../api/sales.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useAction } from '../../components/use-action.ts';
import { RotateCw } from '../../icons/icons.gen.ts';
import { formatNumber, prettyJson } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { EffectList } from './EffectList.tsx';
import { MessageState } from './MessageState.tsx';

/** One message of a shop: what it said, what it did and why. */
export function MessageDetails({ connection, id }: { readonly connection: Connection; readonly id: string }) {
  const surface = useSurface();
  const { data: event, error, refetch } = useQuery(eventQuery(surface, connection.id, id));
  const retry = useAction({
    run: () => retryEvent(surface, connection.id, id),
    invalidates: [connectionsKey(surface), licensesKey(surface)],
  });
  if (event === undefined) return <QueryPlaceholder error={error} refetch={refetch} skeleton={[40, 160, 240]} />;
  return (
    <Stack gap="lg">
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Text ff="monospace" fw={600}>
            {event.type}
          </Text>
          <MessageState event={event} />
        </Group>
        {event.state === 'failed' && allows(surface, 'connections', 'act') && (
          <RunButton action={retry} size="xs" leftSection={<RotateCw size={14} aria-hidden="true" />}>
            Retry
          </RunButton>
        )}
      </Group>
      <Stack gap={2}>
        <Hint>What it did</Hint>
        <Text component="div">
          <EffectList event={event} />
        </Text>
        {event.effects.length > 0 && event.reason !== null && <Text>{event.reason}</Text>}
      </Stack>
      <Facts
        cols={2}
        items={[
          {
            label: 'Sale',
            value:
              event.sale_id === null ? (
                'None'
              ) : (
                <SurfaceLink to={`/connections/${connection.id}`} search={{ sale: event.sale_id }}>
                  Open the sale
                </SurfaceLink>
              ),
          },
          { label: 'Message ID', value: <CopyableText value={event.external_id} label="message ID" maxLength={24} /> },
          { label: 'Received', value: <TimeText value={event.received_at} /> },
          { label: 'Time in the shop', value: <TimeText value={event.occurred_at} fallback="Unknown" /> },
          { label: 'Attempts', value: formatNumber(event.attempts) },
          {
            label: 'Next attempt',
            value: <TimeText value={event.next_attempt_at} format="relative" fallback="None" />,
          },
        ]}
      />
      {typeof event.body === 'string' && (
        <Stack gap={4}>
          <Text fw={600} size="sm">
            As the shop sent it
          </Text>
          <CodeBlock code={prettyJson(event.body)} label="body of the message" />
        </Stack>
      )}
    </Stack>
  );
}
