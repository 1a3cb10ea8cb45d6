import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Connection, connectionQuery } from '../../api/connections.ts';
import { DialogButtons } from '../../components/ConfirmDialog.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { AddressStep } from './AddressStep.tsx';
import { OfferList } from './OfferList.tsx';
import { SetupSteps } from './SetupSteps.tsx';
import { setupSearch } from './search.ts';
import { shops } from './shops.ts';

const parent = { label: 'Shops', to: '/connections' };

/** The second and third step of connecting a shop: its address and secret, and what it sells. */
export default function SetupScreen({ connectionId: id }: { readonly connectionId: string }) {
  const { data, error, refetch } = useQuery(connectionQuery(useSurface(), id));
  if (data !== undefined) return <Setup connection={data} />;
  return <UnloadedPage title="Connect a shop" parent={parent} error={error} refetch={refetch} skeleton={[60, 360]} />;
}

function Setup({ connection }: { readonly connection: Connection }) {
  const surface = useSurface();
  const [{ step = 'address', item }, change] = useFilters(setupSearch);
  const { name } = shops[connection.provider];
  const isOffers = step === 'offers';
  const path = pathOn(surface, `/connections/${connection.id}`);
  return (
    <Page
      title={`Connect ${connection.provider === 'custom' ? 'your own shop' : name}`}
      parent={{ label: connection.name, to: `/connections/${connection.id}` }}
      description={
        isOffers
          ? 'Choose which licenses each item issues. You can change this at any time.'
          : 'Tell the shop where to send its messages, and tell this service how to recognise them.'
      }
    >
      <SetupSteps active={isOffers ? 2 : 1} />
      {isOffers ? (
        <Stack gap="md">
          <OfferList
            connection={connection}
            openItem={item}
            onOpen={(next) => void change({ item: next }, { replace: true })}
          />
          <DialogButtons onCancel={() => void change({ step: 'address' })} cancelLabel="Back">
            <Button component={PathLink} to={path}>
              Finish
            </Button>
          </DialogButtons>
        </Stack>
      ) : (
        <AddressStep connection={connection} onNext={() => void change({ step: 'offers' })} />
      )}
    </Page>
  );
}
