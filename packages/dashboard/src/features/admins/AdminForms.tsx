import { Select, type SelectProps, Stack, Text, TextInput } from '@mantine/core';
import { platformKey } from '../../api/platform.ts';
import { type Admin, inviteAdmin, updateAdmin } from '../../api/users.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { words } from '../../lib/text.ts';
import type { AdminRole } from '../../surfaces.ts';
import { adminRoles, roleMeanings } from './search.ts';

interface InviteAdminFormProps {
  readonly onDone: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

const initialValues: { email: string; name: string; role: AdminRole } = { email: '', name: '', role: 'admin' };

/** Invites an admin by mail. */
export function InviteAdminForm({ onDone, onUnsaved }: InviteAdminFormProps) {
  const resource = useResourceForm({
    initialValues,
    submit: (values) => inviteAdmin(values),
    invalidates: [platformKey('admins')],
    onSaved: onDone,
    onUnsaved,
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Send invitation" onCancel={onDone}>
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
  readonly onDone: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

/** Changes the role of another admin. */
export function ChangeRoleForm({ admin, onDone, onUnsaved }: ChangeRoleFormProps) {
  const resource = useResourceForm({
    initialValues: { role: admin.role },
    submit: (values) => updateAdmin(admin.id, values),
    invalidates: [platformKey('admins')],
    onSaved: onDone,
    onUnsaved,
  });
  return (
    <ResourceFormBody resource={resource} submitLabel="Save" onCancel={onDone}>
      <Stack gap="sm">
        <Text>
          <b>{admin.name}</b> ({admin.email}) gets the new role with the next request.
        </Text>
        <RoleSelect {...resource.form.getInputProps('role')} data-autofocus />
      </Stack>
    </ResourceFormBody>
  );
}

const data = adminRoles.map((role) => ({ value: role, label: words(role) }));

/** A field for an admin's role, with the meaning of each. */
function RoleSelect(props: Omit<SelectProps, 'data'>) {
  return (
    <Select
      label="Role"
      allowDeselect={false}
      data={data}
      renderOption={({ option }) => (
        <div>
          <Text size="sm" fw={500}>
            {option.label}
          </Text>
          <Text size="xs" c="dimmed">
            {roleMeanings[adminRoles.find((role) => role === option.value) ?? 'admin']}
          </Text>
        </div>
      )}
      {...props}
    />
  );
}
