import { Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type Admin, updateAdmin } from '../../api/admins.ts';
import { platformKey } from '../../api/platform.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { RoleSelect } from './RoleSelect.tsx';

interface ChangeRoleFormProps {
  readonly admin: Admin;
  readonly onDone: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

/** Changes the role of another admin. */
export function ChangeRoleForm({ admin, onDone, onUnsaved }: ChangeRoleFormProps) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { role: admin.role },
    submit: (values) => updateAdmin(admin.id, values),
    onSaved: async () => {
      await client.invalidateQueries({ queryKey: platformKey('admins') });
      onDone();
    },
  });
  useUnsaved(resource.isUnsaved, onUnsaved);
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
