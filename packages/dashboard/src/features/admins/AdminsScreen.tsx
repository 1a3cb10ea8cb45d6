import { Badge, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { platformKey } from '../../api/platform.ts';
import { type Admin, adminsQuery, inviteAdmin, updateAdmin } from '../../api/users.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { ActionItem, danger, RowActions } from '../../components/MoreActions.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Ban, Plus, ShieldUser, UserCheck, UserCog } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { useAdminRights } from '../../shell/PlatformArea.tsx';
import { useMe } from '../../shell/SignedIn.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import type { AdminRole } from '../../surfaces.ts';
import { RoleSelect } from './RoleSelect.tsx';
import { adminRoles, adminSearch } from './search.ts';

const description = 'The people who run this platform, and what each of them can do.';

/** The admins of the platform. Only super admins can read and change them. */
export default function AdminsScreen(): ReactNode {
  if (useAdminRights().admins === 'write') return <Admins />;
  return (
    <Page title="Admins" description={description}>
      <EmptyState
        icon={ShieldUser}
        title="Only super admins can manage admins"
        description="Ask a super admin to invite someone or to change your role."
      />
    </Page>
  );
}

function statusOf({ disabled, joined }: Admin): string {
  if (disabled) return 'disabled';
  return joined ? 'active' : 'invited';
}

function Admins() {
  const me = useMe().admin?.id;
  const [{ role, panel, edit, cursor }, change, bar] = useFilters(adminSearch, 'role');
  const query = useQuery(adminsQuery({ ...(role && { role }), ...(cursor && { cursor }) }));
  const edited = query.data?.data.find(({ id }) => id === edit && id !== me);
  const close = () => void change({ panel: undefined, edit: undefined });
  const columns: readonly Column<Admin>[] = [
    {
      header: 'Name',
      cell: ({ id, name }) => (
        <Group gap={6} wrap="nowrap">
          <Text inherit fw={500}>
            {name}
          </Text>
          {id === me && <Badge color="gray">You</Badge>}
        </Group>
      ),
    },
    { header: 'Email', cell: ({ email }) => email, isSecondary: true },
    { header: 'Role', cell: (admin) => words(admin.role), width: 140 },
    { header: 'Status', cell: (admin) => <StatusBadge status={statusOf(admin)} />, isSecondary: true, width: 120 },
    timeColumn('Added', ({ created_at }) => created_at, {
      format: 'date',
      align: 'right',
      isSecondary: true,
      width: 130,
    }),
    actionsColumn(
      (admin) =>
        admin.id === me ? null : <AdminMenu admin={admin} onEdit={() => void change({ edit: admin.id, cursor })} />,
      { width: 56 },
    ),
  ];
  return (
    <Page
      title="Admins"
      description={description}
      actions={<ActionButton icon={Plus} label="Invite admin" onClick={() => void change({ panel: 'invite' })} />}
    >
      <FilterBar filters={bar}>
        <SelectFilter name="role" label="Role" options={adminRoles} />
      </FilterBar>
      <DataTable
        caption="Admins"
        columns={columns}
        query={query}
        empty={{
          icon: ShieldUser,
          title: 'No admins match',
          description: 'No admin has this role.',
        }}
      />
      <FormDrawer title="Invite admin" isOpen={panel === 'invite'} onClose={close} size="md">
        <InviteAdminForm />
      </FormDrawer>
      <FormDrawer title="Change role" isOpen={edited !== undefined} onClose={close} size="md">
        {edited && <ChangeRoleForm admin={edited} />}
      </FormDrawer>
    </Page>
  );
}

function AdminMenu({ admin, onEdit }: { readonly admin: Admin; readonly onEdit: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const { disabled: isDisabled, name } = admin;

  const title = isDisabled ? 'Enable admin' : 'Disable admin';
  return (
    <>
      <RowActions label={`Actions for ${name}`}>
        <ActionItem icon={UserCog} label="Change role" onClick={onEdit} />
        <Menu.Item
          leftSection={isDisabled ? <UserCheck size={15} aria-hidden="true" /> : <Ban size={15} aria-hidden="true" />}
          {...(!isDisabled && { color: danger })}
          onClick={() => setAsking(true)}
        >
          {title}
        </Menu.Item>
      </RowActions>
      <ConfirmDialog
        title={title}
        isDangerous={!isDisabled}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => updateAdmin(admin.id, { disabled: !isDisabled })}
        invalidates={[platformKey('admins')]}
      >
        {isDisabled ? (
          <>
            <b>{name}</b> can log in again with the role {words(admin.role)}.
          </>
        ) : (
          <>
            <b>{name}</b> is logged out immediately and cannot log in again.
          </>
        )}
      </ConfirmDialog>
    </>
  );
}

const initialValues: { email: string; name: string; role: AdminRole } = { email: '', name: '', role: 'admin' };

/** Invites an admin by mail. */
function InviteAdminForm() {
  const resource = useResourceForm({
    initialValues,
    submit: (values) => inviteAdmin(values),
    invalidates: [platformKey('admins')],
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Send invitation">
      <Stack gap="sm">
        <TextInput label="Email" type="email" data-autofocus autoComplete="off" {...form.getInputProps('email')} />
        <TextInput label="Name" autoComplete="off" {...form.getInputProps('name')} />
        <RoleSelect {...form.getInputProps('role')} />
      </Stack>
    </ResourceFormBody>
  );
}

interface ChangeRoleFormProps {
  readonly admin: Admin;
}

/** Changes the role of another admin. */
function ChangeRoleForm({ admin }: ChangeRoleFormProps) {
  const resource = useResourceForm({
    initialValues: { role: admin.role },
    submit: (values) => updateAdmin(admin.id, values),
    invalidates: [platformKey('admins')],
  });
  return (
    <ResourceFormBody resource={resource} submitLabel="Save">
      <Stack gap="sm">
        <Text>
          <b>{admin.name}</b> ({admin.email}) gets the new role with the next request.
        </Text>
        <RoleSelect {...resource.form.getInputProps('role')} data-autofocus />
      </Stack>
    </ResourceFormBody>
  );
}
