import { Button, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { startComparison } from '../../api/comparisons.ts';
import { type Connection, connectionsKey, deleteConnection, updateConnection } from '../../api/connections.ts';
import { sendTestSale } from '../../api/sales.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ActionItem, MoreActions } from '../../components/MoreActions.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { CircleOff, CirclePlay, ListChecks, Pencil, RefreshCw, ShoppingCart, Trash2 } from '../../icons/icons.gen.ts';
import { useOfferActions } from '../../shell/palette.ts';
import { useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { connectionSearch } from './search.ts';
import { shops } from './shops.ts';

interface ConnectionActionsProps {
  readonly connection: Connection;
  readonly onEdit: () => void;
}

/** What a person can do with a connection. The first action is the one that shows how it works. */
export function ConnectionActions({ connection, onEdit }: ConnectionActionsProps) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [, change] = useFilters(connectionSearch);
  const [dialog, setDialog] = useState<'disable' | 'delete' | null>(null);
  const { id, status, provider, has_api_key } = connection;
  const invalidates = [connectionsKey(surface)];
  const compare = useAction({ run: () => startComparison(surface, id), invalidates });
  const test = useAction({ run: () => sendTestSale(surface, id), invalidates });
  const setStatus = useAction({
    run: (next: typeof status) => updateConnection(surface, id, { status: next }),
    invalidates,
  });

  const canAct = allows(surface, 'connections', 'act');
  const isActive = status === 'active';
  const start = {
    label: 'Send a test sale',
    icon: ShoppingCart,
    run: () =>
      test.mutate(undefined, {
        onError: showProblem,
        onSuccess: ({ event_id, checkout_id }) => void change({ test: event_id, checkout: checkout_id }),
      }),
  };
  const comparison = {
    label: 'Compare now',
    icon: RefreshCw,
    run: () => compare.mutate(undefined, { onError: showProblem, onSuccess: () => void change({ tab: 'comparison' }) }),
  };
  const main = provider === 'custom' ? start : has_api_key && comparison;
  useOfferActions([canAct && isActive && main]);
  if (!canAct) return null;
  const close = () => setDialog(null);
  return (
    <>
      {main !== false && (
        <Button
          leftSection={<main.icon size={15} aria-hidden="true" />}
          loading={test.isPending || compare.isPending}
          disabled={!isActive}
          onClick={main.run}
        >
          {main.label}
        </Button>
      )}
      <MoreActions>
        <ActionItem icon={Pencil} label="Edit" onClick={onEdit} />
        <ActionItem
          icon={ListChecks}
          label="Show the setup"
          onClick={() => void navigate(`/connections/${id}/setup`)}
        />
        {isActive ? (
          <ActionItem icon={CircleOff} label="Disable" onClick={() => setDialog('disable')} />
        ) : (
          <ActionItem
            icon={CirclePlay}
            label="Enable"
            onClick={() => setStatus.mutate('active', { onError: showProblem })}
          />
        )}
        <Menu.Divider />
        <ActionItem icon={Trash2} label="Delete" isDangerous onClick={() => setDialog('delete')} />
      </MoreActions>
      <ConfirmDialog
        title="Disable connection"
        isOpen={dialog === 'disable'}
        onClose={close}
        onConfirm={() => setStatus.mutateAsync('disabled')}
      >
        The address of {connection.name} refuses messages while it is disabled, so sales there issue no licenses.
        Licenses that exist stay as they are.
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete connection"
        typedName={connection.name}
        isOpen={dialog === 'delete'}
        onClose={close}
        onConfirm={async () => {
          await deleteConnection(surface, id);
          await navigate('/connections', { replace: true });
        }}
      >
        <Text inherit>
          {shops[provider].name} can no longer reach this service: renewals and refunds of its sales change nothing any
          more. Its licenses stay as they are. This cannot be undone.
        </Text>
      </ConfirmDialog>
    </>
  );
}
