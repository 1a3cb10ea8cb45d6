import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  type AccountInvitation,
  acceptOwnInvitation,
  declineOwnInvitation,
  invitationsQuery,
} from '../../api/account.ts';
import { meQuery } from '../../api/me.ts';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Section } from '../../components/Section.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { words } from '../../lib/text.ts';

/** The tenants that invite the person. Absent without an invitation. */
export function InvitationsSection() {
  const query = useQuery(invitationsQuery());
  const { queryKey } = invitationsQuery();
  const accept = useAction({
    run: acceptOwnInvitation,
    invalidates: [queryKey, meQuery('tenant').queryKey],
    success: 'You are now a member of the tenant.',
  });
  const decline = useAction({
    run: declineOwnInvitation,
    invalidates: [queryKey],
    success: 'You declined the invitation.',
  });
  if (query.data === undefined || query.data.data.length === 0) return null;
  const isBusy = accept.isPending || decline.isPending;
  const columns: readonly Column<AccountInvitation>[] = [
    { header: 'Tenant', cell: ({ tenant_name: name }) => name },
    { header: 'Role', cell: ({ role }) => words(role) },
    timeColumn('Ends', ({ expires_at: end }) => end, { format: 'relative', isSecondary: true }),
    actionsColumn(({ id, tenant_name: name }) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          size="compact-sm"
          disabled={isBusy}
          aria-label={`Accept the invitation to ${name}`}
          onClick={() => accept.mutate(id, { onError: showProblem })}
        >
          Accept
        </Button>
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          disabled={isBusy}
          aria-label={`Decline the invitation to ${name}`}
          onClick={() => decline.mutate(id, { onError: showProblem })}
        >
          Decline
        </Button>
      </Group>
    )),
  ];
  return (
    <Section title="Invitations" description="These tenants have invited you. You become a member when you accept.">
      <DataTable caption="Your invitations" columns={columns} query={query} empty={null} skeletonRows={1} />
    </Section>
  );
}
