import { Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { inviteAdmin } from '../../api/admins.ts';
import { platformKey } from '../../api/platform.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import type { AdminRole } from '../../surfaces.ts';
import { RoleSelect } from './RoleSelect.tsx';

interface InviteAdminFormProps {
  readonly onDone: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

const initialValues: { email: string; name: string; role: AdminRole } = { email: '', name: '', role: 'admin' };

/** Invites an admin by mail. */
export function InviteAdminForm({ onDone, onUnsaved }: InviteAdminFormProps) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues,
    submit: (values) => inviteAdmin(values),
    onSaved: async () => {
      await client.invalidateQueries({ queryKey: platformKey('admins') });
      onDone();
    },
  });
  const { form } = resource;
  useUnsaved(resource.isUnsaved, onUnsaved);
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
