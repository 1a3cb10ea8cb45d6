import { Stack, Text } from '@mantine/core';
import { type Member, membersKey, removeMember } from '../../api/members.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { useAction } from '../../components/use-action.ts';
import { count } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';

interface RemoveMemberDialogProps {
  readonly member: Member | null;
  readonly onClose: () => void;
}

/** Removes a member or withdraws an invitation, and says what stays behind. */
export function RemoveMemberDialog({ member, onClose }: RemoveMemberDialogProps) {
  const surface = useSurface();
  const remove = useAction({ run: (id: string) => removeMember(surface, id), invalidates: [membersKey(surface)] });
  const isInvitation = member?.status === 'invited';
  return (
    <ConfirmDialog
      title={isInvitation ? 'Withdraw invitation' : 'Remove member'}
      isOpen={member !== null}
      onClose={onClose}
      onConfirm={() => remove.mutateAsync(member?.id ?? '')}
    >
      {member !== null && (isInvitation ? <Withdrawal member={member} /> : <Removal member={member} />)}
    </ConfirmDialog>
  );
}

function Withdrawal({ member }: { readonly member: Member }) {
  return (
    <>
      The link that was mailed to <b style={{ overflowWrap: 'anywhere' }}>{member.email}</b> stops working.
    </>
  );
}

function Removal({ member }: { readonly member: Member }) {
  const tokens = member.access_tokens_count;
  return (
    <Stack gap="sm">
      <Text size="md">
        <b style={{ overflowWrap: 'anywhere' }}>{member.name ?? member.email}</b> loses access to this tenant with the
        next request. The account of the person stays.
      </Text>
      {tokens > 0 && (
        <Text size="md">
          {`${count(tokens, 'access token')} that this person created ${tokens === 1 ? 'stays' : 'stay'} valid. `}
          <SurfaceLink to="/access-tokens" search={{ created_by: member.user_id }} underline="always">
            Show and revoke {tokens === 1 ? 'it' : 'them'}
          </SurfaceLink>
        </Text>
      )}
    </Stack>
  );
}
