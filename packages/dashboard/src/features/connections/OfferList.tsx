import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Connection,
  catalogQuery,
  connectionsKey,
  deleteOffer,
  type Offer,
  offersQuery,
  type ShopOffer,
} from '../../api/connections.ts';
import { toProblem } from '../../api/problem.ts';
import { policyQuery } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { actionsColumn, type Column, DataTable } from '../../components/DataTable.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { TitledTable } from '../../components/Section.tsx';
import { Pencil, Plus, Tag, Trash2 } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { OfferForm } from './OfferForm.tsx';
import { shops } from './shops.ts';
import { quantityText } from './words.ts';

interface OfferListProps {
  readonly connection: Connection;
  /** The item of the form that is open: `new`, an id of the shop or the id of an offer; undefined: none is. */
  readonly openItem: string | undefined;
  readonly onOpen: (item: string | undefined) => void;
}

const noOffers: readonly Offer[] = [];
const lastPage = { next_cursor: null };

/** What the items of a shop become, and the items that become nothing yet. */
export function OfferList({ connection, openItem, onOpen }: OfferListProps) {
  const surface = useSurface();
  const query = useQuery(offersQuery(surface, connection.id));
  const [removed, setRemoved] = useState<Offer | null>(null);

  const mayWrite = allows(surface, 'connections', 'update');
  const offers = query.data?.data ?? noOffers;
  const edited = offers.find(({ id }) => id === openItem);
  const add = (variant: 'default' | 'filled') => (
    <ActionButton icon={Plus} label="Add offer" variant={variant} onClick={() => onOpen('new')} />
  );
  return (
    <Stack gap="lg">
      <TitledTable
        title="Offers"
        description="The licenses that each item of the shop issues. A change applies to an existing sale with the next message about it."
        actions={mayWrite && offers.length > 0 && add('default')}
      >
        <DataTable
          caption="Offers"
          columns={columns(mayWrite ? { onEdit: ({ id }) => onOpen(id), onRemove: setRemoved } : null)}
          query={query}
          skeletonRows={2}
          empty={{
            icon: Tag,
            title: 'Nothing is mapped yet',
            description:
              'An offer says which policy a sale gets. Until then, sales of this shop wait and issue nothing.',
            action: mayWrite && add('filled'),
          }}
        />
      </TitledTable>
      {connection.has_api_key && mayWrite && <Unmapped connection={connection} offers={offers} onOpen={onOpen} />}
      <FormDrawer
        title={edited === undefined ? 'Add offer' : 'Edit offer'}
        isOpen={mayWrite && openItem !== undefined && query.data !== undefined}
        onClose={() => onOpen(undefined)}
      >
        <NewOrEdited connection={connection} offer={edited} item={openItem === 'new' ? undefined : openItem} />
      </FormDrawer>
      <ConfirmDialog
        title="Delete offer"
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        onConfirm={() => deleteOffer(surface, connection.id, removed?.id ?? '')}
        invalidates={[connectionsKey(surface)]}
      >
        Sales of “{removed?.name}” issue nothing from then on, and wait as problems. Licenses that were issued stay as
        they are.
      </ConfirmDialog>
    </Stack>
  );
}

interface NewOrEditedProps {
  readonly connection: Connection;
  readonly offer: Offer | undefined;
  readonly item: string | undefined;
}

/** The form, with the shop's own name of the item if its API says it. */
function NewOrEdited({ connection, offer, item }: NewOrEditedProps) {
  const { data: catalog } = useQuery({
    ...catalogQuery(useSurface(), connection.id),
    enabled: connection.has_api_key && offer === undefined && item !== undefined,
  });
  const known = catalog?.data.find(({ external_id }) => external_id === item);
  const chosen = item === undefined ? undefined : { external_id: item, name: known?.name ?? '' };
  return <OfferForm key={`${offer?.id} ${known?.name}`} connection={connection} offer={offer} item={chosen} />;
}

interface OfferActions {
  readonly onEdit: (offer: Offer) => void;
  readonly onRemove: (offer: Offer) => void;
}

function columns(actions: OfferActions | null): readonly Column<Offer>[] {
  const data: readonly Column<Offer>[] = [
    {
      header: 'Offer',
      cell: ({ name, external_id }) => (
        <Stack gap={0} maw={{ base: 150, sm: 320 }}>
          <Text span inherit truncate title={name}>
            {name}
          </Text>
          <CopyableText value={external_id} label="ID of the item" maxLength={20} size="xs" />
        </Stack>
      ),
    },
    { header: 'Policy', cell: ({ policy_id }) => <PolicyLink id={policy_id} /> },
    { header: 'Quantity', cell: quantityText, isSecondary: true },
    { header: 'After a refund', cell: ({ on_refund }) => words(on_refund), isSecondary: true },
    {
      header: 'Missing payment',
      cell: ({ suspend_after_days: days }) => (days === null ? 'Nothing' : `Suspend after ${days} days`),
      isSecondary: true,
    },
  ];
  if (actions === null) return data;
  return [
    ...data,
    actionsColumn((offer) => (
      <Group gap={4} wrap="nowrap" justify="flex-end">
        <Button size="xs" variant="default" aria-label={`Edit ${offer.name}`} onClick={() => actions.onEdit(offer)}>
          <Pencil size={14} aria-hidden="true" />
        </Button>
        <Button size="xs" variant="default" aria-label={`Delete ${offer.name}`} onClick={() => actions.onRemove(offer)}>
          <Trash2 size={14} aria-hidden="true" />
        </Button>
      </Group>
    )),
  ];
}

function PolicyLink({ id }: { readonly id: string }) {
  const { data } = useQuery(policyQuery(useSurface(), id));
  return <SurfaceLink to={`/policies/${id}`}>{data?.name ?? 'Policy'}</SurfaceLink>;
}

interface UnmappedProps {
  readonly connection: Connection;
  readonly offers: readonly Offer[];
  readonly onOpen: (item: string) => void;
}

/** What the shop sells and no offer is about, read from the shop. */
function Unmapped({ connection, offers, onOpen }: UnmappedProps) {
  const isMapped = ({ external_id }: ShopOffer) => offers.some((offer) => offer.external_id === external_id);
  const query = useQuery({
    ...catalogQuery(useSurface(), connection.id),
    select: ({ items }) => ({ data: items.filter((item) => !isMapped(item)), meta: lastPage }),
  });
  const shop = shops[connection.provider];
  if (query.error !== null) return <ErrorState problem={toProblem(query.error)} onRetry={() => void query.refetch()} />;
  if (query.data?.data.length === 0) return null;
  return (
    <TitledTable title="Not mapped yet" description={`What ${shop.name} sells and has no offer.`}>
      <DataTable
        caption="Not mapped yet"
        columns={catalogColumns(onOpen)}
        query={query}
        rowKey={({ external_id }) => external_id}
        skeletonRows={2}
        empty={null}
      />
    </TitledTable>
  );
}

function catalogColumns(onOpen: (item: string) => void): readonly Column<ShopOffer>[] {
  return [
    {
      header: 'Product',
      cell: ({ name, external_id }) => (
        <Stack gap={0} maw={{ base: 170, sm: 360 }}>
          <Text span inherit truncate title={name}>
            {name}
          </Text>
          <CopyableText value={external_id} label="ID of the item" maxLength={22} size="xs" />
        </Stack>
      ),
    },
    { header: 'Price', cell: ({ price }) => price ?? '—', isSecondary: true },
    actionsColumn(({ name, external_id }) => (
      <Button size="xs" variant="default" aria-label={`Map ${name}`} onClick={() => onOpen(external_id)}>
        Map
      </Button>
    )),
  ];
}
