import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Connection, connectionQuery } from '../../api/connections.ts';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { ComparisonTab } from './ComparisonTab.tsx';
import { ConnectionActions } from './ConnectionActions.tsx';
import { ConnectionAlerts } from './ConnectionAlerts.tsx';
import { ConnectionFacts } from './ConnectionFacts.tsx';
import { ConnectionForm } from './ConnectionForm.tsx';
import { ConnectionStatus } from './ConnectionsScreen.tsx';
import { MessageList } from './MessageList.tsx';
import { OfferList } from './OfferList.tsx';
import { SaleList } from './SaleList.tsx';
import { connectionSearch } from './search.ts';
import { TestSale } from './TestSale.tsx';

const parent = { label: 'Shops', to: '/connections' };

/** One connection: its sales, its messages, its offers and its comparisons. */
export default function ConnectionScreen({ connectionId: id }: { readonly connectionId: string }) {
  const { data, error, refetch } = useQuery(connectionQuery(useSurface(), id));
  if (data !== undefined) return <ConnectionPage connection={data} />;
  return <UnloadedPage title="Shop connection" parent={parent} error={error} refetch={refetch} skeleton={[120, 320]} />;
}

/** What only one tab, or an opened object of it, has in the URL. */
const ofOneTab = {
  q: undefined,
  state: undefined,
  problem: undefined,
  difference: undefined,
  sale: undefined,
  event: undefined,
  comparison: undefined,
};

function ConnectionPage({ connection }: { readonly connection: Connection }) {
  const surface = useSurface();
  const [{ tab = 'sales', panel, item, test, checkout }, change] = useFilters(connectionSearch);
  const mayUpdate = allows(surface, 'connections', 'update');
  const close = () => void change({ panel: undefined });
  return (
    <Page
      title={connection.name}
      parent={parent}
      badges={<ConnectionStatus connection={connection} />}
      actions={<ConnectionActions connection={connection} onEdit={() => void change({ panel: 'edit' })} />}
    >
      <ConnectionAlerts connection={connection} />
      {test !== undefined && (
        <TestSale
          connection={connection}
          eventId={test}
          checkoutId={checkout}
          onClose={() => void change({ test: undefined, checkout: undefined })}
        />
      )}
      <ConnectionFacts connection={connection} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => void change({ ...ofOneTab, tab: next === 'sales' ? undefined : next })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="sales">Sales</Tabs.Tab>
          <Tabs.Tab value="messages">Messages</Tabs.Tab>
          <Tabs.Tab value="offers">Offers</Tabs.Tab>
          <Tabs.Tab value="comparison">Comparison</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="sales">
          <SaleList connection={connection} />
        </Tabs.Panel>
        <Tabs.Panel value="messages">
          <MessageList connection={connection} />
        </Tabs.Panel>
        <Tabs.Panel value="offers">
          <OfferList connection={connection} openItem={item} onOpen={(next) => void change({ item: next })} />
        </Tabs.Panel>
        <Tabs.Panel value="comparison">
          <ComparisonTab connection={connection} />
        </Tabs.Panel>
      </Tabs>
      <FormDrawer title="Edit connection" isOpen={panel === 'edit' && mayUpdate} onClose={close}>
        <ConnectionForm connection={connection} />
      </FormDrawer>
    </Page>
  );
}
