import { ActionIcon, Menu } from '@mantine/core';
import { useState } from 'react';
import { platformKey } from '../../api/platform.ts';
import { type Tenant, updateTenant } from '../../api/tenants.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ActionItem } from '../../components/MoreActions.tsx';
import { useAction } from '../../components/use-action.ts';
import { Ban, CirclePlay, Ellipsis, Pencil, Trash } from '../../icons/icons.gen.ts';

interface TenantActionsProps {
  readonly tenant: Tenant;
  readonly onEdit: () => void;
}

type Question = 'suspend' | 'reactivate' | 'close';

/** What an admin can do with a tenant that is not closed. */
export function TenantActions({ tenant, onEdit }: TenantActionsProps) {
  const [question, setQuestion] = useState<Question | null>(null);
  const setStatus = useAction({
    run: (status: Tenant['status']) => updateTenant(tenant.id, { status }),
    invalidates: [platformKey('tenants'), platformKey('metrics'), platformKey('audit')],
  });
  const isSuspended = tenant.status === 'suspended';
  const dialog = (name: Question) => ({ isOpen: question === name, onClose: () => setQuestion(null) });
  if (tenant.status === 'closed') return null;
  return (
    <>
      <ActionButton icon={Pencil} label="Edit tenant" variant="default" onClick={onEdit} />
      {isSuspended ? (
        <ActionButton icon={CirclePlay} label="Reactivate" onClick={() => setQuestion('reactivate')} />
      ) : (
        <ActionButton icon={Ban} label="Suspend" color="red" variant="light" onClick={() => setQuestion('suspend')} />
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size={34} variant="default" aria-label="More actions">
            <Ellipsis size={16} aria-hidden="true" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <ActionItem icon={Trash} label="Close tenant" isDangerous onClick={() => setQuestion('close')} />
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        {...dialog('suspend')}
        title="Suspend tenant"
        typedName={tenant.name}
        onConfirm={() => setStatus.mutateAsync('suspended')}
      >
        All applications, keys and members of <b>{tenant.name}</b> stop working immediately. No data is deleted, and you
        can reactivate the tenant at any time.
      </ConfirmDialog>
      <ConfirmDialog
        {...dialog('reactivate')}
        title="Reactivate tenant"
        isDangerous={false}
        onConfirm={() => setStatus.mutateAsync('active')}
      >
        The applications, keys and members of <b>{tenant.name}</b> work again immediately.
      </ConfirmDialog>
      <ConfirmDialog
        {...dialog('close')}
        title="Close tenant"
        typedName={tenant.name}
        onConfirm={() => setStatus.mutateAsync('closed')}
      >
        All applications, keys and members of <b>{tenant.name}</b> stop working immediately, and its subscription is
        canceled. You can export its data on the command line until it is purged. You cannot undo this.
      </ConfirmDialog>
    </>
  );
}
