import { TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { addMember, type Member, membersKey } from '../../api/members.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { checkEmail } from '../identity/password-rules.ts';
import { RoleInput } from './RoleInput.tsx';

interface NewMemberFormProps {
  readonly onDone: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

/** Adds an existing user, or invites the address by mail. */
export function NewMemberForm({ onDone, onUnsaved }: NewMemberFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const initialValues: { email: string; role: Member['role'] } = { email: '', role: 'viewer' };
  const resource = useResourceForm({
    initialValues,
    validate: { email: checkEmail },
    submit: ({ email, role }, idempotencyKey) => addMember(surface, { email: email.trim(), role }, idempotencyKey),
    async onSaved(member) {
      const message =
        member.status === 'invited'
          ? `An invitation was mailed to ${member.email}. It can be accepted for seven days.`
          : `${member.name ?? member.email} had an account and is a member now.`;
      notifications.show({ message, role: 'status' });
      await client.invalidateQueries({ queryKey: membersKey(surface) });
      onDone();
    },
  });
  useUnsaved(resource.isUnsaved, onUnsaved);
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Add member" onCancel={onDone}>
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        description="A person with an account becomes a member at once. Any other address gets an invitation."
        data-autofocus
        {...form.getInputProps('email')}
      />
      <RoleInput
        value={form.values.role}
        onChange={(role) => form.setFieldValue('role', role)}
        error={form.errors['role']}
      />
    </ResourceFormBody>
  );
}
