import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { meQuery } from '../../api/me.ts';
import { addMember, changeRole, type Member, membersKey, removeMember } from '../../api/members.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { count } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { checkEmail } from '../identity/password-rules.ts';

interface NewMemberFormProps {
  readonly onDone: () => void;
}

/** Invites an address by mail. */
export function NewMemberForm({ onDone }: NewMemberFormProps) {
  const surface = useSurface();
  const initialValues: { email: string; role: Member['role'] } = { email: '', role: 'viewer' };
  const resource = useResourceForm({
    initialValues,
    validate: { email: checkEmail },
    submit: ({ email, role }, idempotencyKey) => addMember(surface, { email: email.trim(), role }, idempotencyKey),
    invalidates: [membersKey(surface)],
    onSaved(member) {
      const message = `We sent an invitation to ${member.email}. It expires in seven days.`;
      notifications.show({ message, role: 'status' });
      onDone();
    },
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Invite member">
      <TextInput
        label="Email"
        type="email"
        autoComplete="off"
        description="We send an invitation to this address. The person becomes a member when they accept it."
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

interface ChangeRoleFormProps {
  readonly member: Member;
  readonly onDone: () => void;
}

/** Changes the role of a member or of an open invitation. A new owner must accept, so the form invites the person. */
export function ChangeRoleForm({ member, onDone }: ChangeRoleFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { role: member.role },
    submit: ({ role }, idempotencyKey) =>
      role === 'owner' && member.role !== 'owner'
        ? addMember(surface, { email: member.email, role }, idempotencyKey)
        : changeRole(surface, member.id, { role }),
    async onSaved({ id, email }) {
      if (id !== member.id) {
        notifications.show({
          message: `We invited ${email} as an owner. They become an owner when they accept.`,
          role: 'status',
        });
      }
      onDone();
      // The person may have changed their own role.
      const keys = [membersKey(surface), meQuery(surface.area).queryKey];
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Change role">
      <Text>
        The new role of <b style={{ overflowWrap: 'anywhere' }}>{member.name ?? member.email}</b> takes effect
        immediately. A person must accept an invitation to become an owner.
      </Text>
      <RoleInput
        value={form.values.role}
        onChange={(role) => form.setFieldValue('role', role)}
        error={form.errors['role']}
      />
    </ResourceFormBody>
  );
}

interface RoleInputProps {
  readonly value: Member['role'];
  readonly onChange: (role: Member['role']) => void;
  readonly error?: ReactNode;
}

/** Chooses a role; each role explains itself. */
function RoleInput({ value, onChange, error }: RoleInputProps) {
  const choose = (chosen: string) => {
    const role = roles.find((one) => one.role === chosen)?.role;
    if (role !== undefined) onChange(role);
  };
  return (
    <Radio.Group label="Role" value={value} onChange={choose} error={error}>
      <Stack gap="xs" mt={6}>
        {roles.map(({ role, label, meaning }) => (
          <Radio.Card key={role} value={role} radius="md" p="sm" aria-label={label} aria-description={meaning}>
            <div style={{ display: 'flex', gap: 12 }}>
              <Radio.Indicator mt={2} />
              <div>
                <Text fw={500}>{label}</Text>
                <Hint>{meaning}</Hint>
              </div>
            </div>
          </Radio.Card>
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** What each role may do, from the most to the least. */
export const roles: readonly { readonly role: Member['role']; readonly label: string; readonly meaning: string }[] = [
  { role: 'owner', label: 'Owner', meaning: 'Can do everything, including members and billing.' },
  {
    role: 'admin',
    label: 'Admin',
    meaning: 'Can manage products, policies, licenses, keys, webhooks and settings, but not members or billing.',
  },
  {
    role: 'support',
    label: 'Support',
    meaning: 'Can manage licenses, devices and customers, and view the catalog. No settings, keys or billing.',
  },
  { role: 'viewer', label: 'Viewer', meaning: 'Can view everything except billing, and cannot change anything.' },
];

interface RemoveMemberDialogProps {
  readonly member: Member | null;
  readonly onClose: () => void;
}

/** Removes a member or withdraws an invitation, and says what stays behind. */
export function RemoveMemberDialog({ member, onClose }: RemoveMemberDialogProps) {
  const surface = useSurface();

  const isInvitation = member?.status === 'invited';
  return (
    <ConfirmDialog
      title={isInvitation ? 'Withdraw invitation' : 'Remove member'}
      isOpen={member !== null}
      onClose={onClose}
      onConfirm={() => removeMember(surface, member?.id ?? '')}
      invalidates={[membersKey(surface)]}
    >
      {member !== null && (isInvitation ? <Withdrawal member={member} /> : <Removal member={member} />)}
    </ConfirmDialog>
  );
}

function Withdrawal({ member }: { readonly member: Member }) {
  return (
    <>
      The link that we sent to <b style={{ overflowWrap: 'anywhere' }}>{member.email}</b> stops working.
    </>
  );
}

function Removal({ member }: { readonly member: Member }) {
  const tokens = member.access_tokens_count;
  return (
    <Stack gap="sm">
      <Text>
        <b style={{ overflowWrap: 'anywhere' }}>{member.name ?? member.email}</b> loses access to this tenant
        immediately. Their account is not deleted.
      </Text>
      {tokens > 0 && (
        <Text>
          {`${count(tokens, 'access token')} that this person created ${tokens === 1 ? 'stays' : 'stay'} valid. `}
          <SurfaceLink to="/access-tokens" search={{ created_by: member.user_id }} underline="always">
            Show and revoke {tokens === 1 ? 'it' : 'them'}
          </SurfaceLink>
        </Text>
      )}
    </Stack>
  );
}
