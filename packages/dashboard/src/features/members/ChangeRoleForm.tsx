import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { meQuery } from '../../api/me.ts';
import { changeRole, type Member, membersKey } from '../../api/members.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { RoleInput } from './RoleInput.tsx';

interface ChangeRoleFormProps {
  readonly member: Member;
  readonly onDone: () => void;
}

/** Changes the role of a member or of an open invitation. */
export function ChangeRoleForm({ member, onDone }: ChangeRoleFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { role: member.role },
    submit: ({ role }) => changeRole(surface, member.id, role),
    async onSaved() {
      onDone();
      // The person may have changed their own role.
      const keys = [membersKey(surface), meQuery(surface.area).queryKey];
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Change role" onCancel={onDone}>
      <Text size="md">
        The new role of <b style={{ overflowWrap: 'anywhere' }}>{member.name ?? member.email}</b> takes effect with the
        next request.
      </Text>
      <RoleInput
        value={form.values.role}
        onChange={(role) => form.setFieldValue('role', role)}
        error={form.errors['role']}
      />
    </ResourceFormBody>
  );
}
