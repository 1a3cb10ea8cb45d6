import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Connection, offersQuery } from '../../api/connections.ts';
import { eventsQuery, type Sale, saleQuery } from '../../api/sales.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Dimmed } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { ExternalLink, TriangleAlert } from '../../icons/icons.gen.ts';
import { formatNumber } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { EffectList } from './EffectList.tsx';
import { SaleProblemActions, SaleProblemText } from './SaleProblem.tsx';
import { shops } from './shops.ts';
import { buyerName } from './words.ts';

const refunds = { none: 'Nothing', partial: 'A part of the last payment', full: 'The last payment' } as const;

/** One sale: who bought what, and which licenses it has. */
export function SaleDetails({ connection, id }: { readonly connection: Connection; readonly id: string }) {
  const { data: sale, error, refetch } = useQuery(saleQuery(useSurface(), connection.id, id));
  if (sale === undefined) return <QueryPlaceholder error={error} refetch={refetch} skeleton={[40, 240]} />;
  const { buyer, shop_url } = sale;
  return (
    <Stack gap="lg">
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {buyerName(buyer)}
          </Text>
          <StatusBadge status={sale.state} />
        </Group>
        {shop_url !== null && (
          <Anchor href={shop_url} target="_blank" rel="noopener noreferrer" size="sm">
            <Group gap={4} wrap="nowrap">
              Open in {shops[connection.provider].name} <ExternalLink size={13} aria-hidden="true" />
            </Group>
          </Anchor>
        )}
      </Group>
      {sale.problem !== null && (
        <Alert
          color="yellow"
          icon={<TriangleAlert size={18} aria-hidden="true" />}
          title="The license does not match yet"
        >
          <Stack gap="sm" align="flex-start">
            <SaleProblemText sale={sale} />
            <SaleProblemActions connection={connection} sale={sale} />
          </Stack>
        </Alert>
      )}
      <Items connection={connection} sale={sale} />
      <Facts
        cols={2}
        items={[
          {
            label: 'Customer’s address',
            value:
              buyer.email === null ? (
                'Not said'
              ) : (
                <SurfaceLink to={`/customers/${encodeURIComponent(buyer.email)}`}>{buyer.email}</SurfaceLink>
              ),
          },
          { label: 'Kind', value: sale.kind === 'subscription' ? 'Subscription' : 'One-time purchase' },
          { label: 'Paid until', value: <TimeText value={sale.paid_until} fallback="No end" /> },
          { label: 'Ends', value: <TimeText value={sale.ends_at} fallback="Not planned" /> },
          { label: 'Given back', value: refunds[sale.refund] },
          {
            label: 'ID in the shop',
            value: <CopyableText value={sale.external_id} label="ID in the shop" maxLength={26} />,
          },
          { label: 'Changed', value: <TimeText value={sale.updated_at} format="relative" /> },
        ]}
      />
      <Licenses sale={sale} />
      <Messages connection={connection} sale={sale} />
    </Stack>
  );
}

function Items({ connection, sale }: { readonly connection: Connection; readonly sale: Sale }) {
  const { data } = useQuery(offersQuery(useSurface(), connection.id));
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        Bought
      </Text>
      {sale.items.map(({ external_id, quantity, offer_id }) => {
        const offer = data?.data.find(({ id }) => id === offer_id);
        return (
          <Text key={external_id} style={{ overflowWrap: 'anywhere' }}>
            <span className="tabular">{formatNumber(quantity)}</span> × {offer?.name ?? external_id}
            {offer_id === null && <Dimmed> (not mapped)</Dimmed>}
          </Text>
        );
      })}
    </Stack>
  );
}

function Licenses({ sale: { license_ids } }: { readonly sale: Sale }) {
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        Licenses
      </Text>
      {license_ids.length === 0 && <Text c="dimmed">None.</Text>}
      {license_ids.map((id) => (
        <SurfaceLink key={id} to={`/licenses/${id}`} size="md">
          License …{id.slice(-4)}
        </SurfaceLink>
      ))}
    </Stack>
  );
}

/** The newest messages about a sale, with what each did. */
function Messages({ connection, sale }: { readonly connection: Connection; readonly sale: Sale }) {
  const { data } = useQuery(eventsQuery(useSurface(), connection.id, { sale_id: sale.id, limit: 10 }));
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        Messages
      </Text>
      {data.data.map((event) => (
        <Group key={event.id} gap="xs" align="flex-start" justify="space-between">
          <Stack gap={0}>
            <SurfaceLink
              to={`/connections/${connection.id}`}
              search={{ tab: 'messages', event: event.id }}
              size="sm"
              ff="monospace"
            >
              {event.type}
            </SurfaceLink>
            <Text size="sm" component="div">
              <EffectList event={event} isShort />
            </Text>
          </Stack>
          <Text size="sm" c="dimmed" component="span">
            <TimeText value={event.received_at} format="relative" />
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
