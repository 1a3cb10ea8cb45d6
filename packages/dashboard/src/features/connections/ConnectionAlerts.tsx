import { Alert, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Connection, connectionsKey, offersQuery, updateConnection } from '../../api/connections.ts';
import { RunButton } from '../../components/RunButton.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { useAction } from '../../components/use-action.ts';
import { CircleOff, ListChecks, TriangleAlert } from '../../icons/icons.gen.ts';
import { count } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { connectionSearch } from './search.ts';
import { shops } from './shops.ts';
import { shownStatus } from './words.ts';

interface ConnectionAlertsProps {
  readonly connection: Connection;
}

/** Says the one thing that needs attention first: a disabled connection, a missing secret, no offer, or problems. */
export function ConnectionAlerts({ connection }: ConnectionAlertsProps) {
  const surface = useSurface();
  const offers = useQuery(offersQuery(surface, connection.id));
  const status = shownStatus(connection);
  if (status === 'disabled') return <Disabled connection={connection} />;
  if (status === 'incomplete') {
    return (
      <SetupAlert
        connection={connection}
        step="address"
        title={`${shops[connection.provider].name} cannot reach it yet`}
        text="The secret of the shop is missing, so its messages are refused. Two steps are left."
      />
    );
  }
  if (offers.data?.data.length === 0) {
    return (
      <SetupAlert
        connection={connection}
        step="offers"
        title="Nothing is mapped yet"
        text="Choose which licenses each item issues. Until then, sales wait and issue nothing."
      />
    );
  }
  return connection.problems_count > 0 ? <Problems connection={connection} /> : null;
}

interface SetupAlertProps extends ConnectionAlertsProps {
  readonly step: 'address' | 'offers';
  readonly title: string;
  readonly text: string;
}

function SetupAlert({ connection, step, title, text }: SetupAlertProps) {
  const surface = useSurface();
  return (
    <Alert color="blue" icon={<ListChecks size={18} aria-hidden="true" />} title={title}>
      <Stack gap="sm" align="flex-start">
        <AlertText>{text}</AlertText>
        {allows(surface, 'connections', 'update') && (
          <Button
            component={PathLink}
            to={pathOn(surface, `/connections/${connection.id}/setup`)}
            search={{ step }}
            size="xs"
            variant="default"
          >
            Continue the setup
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function Problems({ connection }: ConnectionAlertsProps) {
  const [{ tab = 'sales', problem }, change] = useFilters(connectionSearch);
  const isShown = tab === 'sales' && problem !== undefined;
  return (
    <Alert
      color="yellow"
      icon={<TriangleAlert size={18} aria-hidden="true" />}
      title={`${count(connection.problems_count, 'problem')} to solve`}
    >
      <Stack gap="sm" align="flex-start">
        <AlertText>
          A customer has paid, but the license does not match the sale yet. Open a sale to see why, and apply it.
        </AlertText>
        {!isShown && (
          <Button
            size="xs"
            variant="default"
            onClick={() => void change({ tab: undefined, state: undefined, q: undefined, problem: 'any' })}
          >
            Show the problems
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function Disabled({ connection }: ConnectionAlertsProps) {
  const surface = useSurface();
  const enable = useAction({
    run: () => updateConnection(surface, connection.id, { status: 'active' }),
    invalidates: [connectionsKey(surface)],
  });
  return (
    <Alert color="red" icon={<CircleOff size={18} aria-hidden="true" />} title="This connection receives nothing">
      <Stack gap="sm" align="flex-start">
        <AlertText>
          It is disabled, so its address refuses messages. Shops repeat them for some days; compare the sales after you
          have enabled it.
        </AlertText>
        {allows(surface, 'connections', 'update') && (
          <RunButton action={enable} size="xs" variant="default">
            Enable connection
          </RunButton>
        )}
      </Stack>
    </Alert>
  );
}
