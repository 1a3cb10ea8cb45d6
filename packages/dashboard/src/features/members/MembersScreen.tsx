import { Box, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import { isTestTenant, meQuery } from '../../api/me.ts';
import { addMember, type Member, membersKey, membersQuery } from '../../api/members.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { FormDialog } from '../../components/ConfirmDialog.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { ActionItem, RowActions } from '../../components/MoreActions.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Hint } from '../../components/Texts.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { Plus, Send, UserRoundCog, UserRoundX, Users } from '../../icons/icons.gen.ts';
import { formatNumber, words } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { ChangeRoleForm, NewMemberForm, RemoveMemberDialog, roles } from './MemberForms.tsx';
import { memberRoles, membersSearch } from './search.ts';

/** The people of a tenant, and the open invitations. Only owners change them. */
export default function MembersScreen() {
  const surface = useSurface();
  const [{ role, cursor, panel }, setFilters, bar] = useFilters(membersSearch, 'role');
  const query = useQuery(membersQuery(surface, { ...(role && { role }), ...(cursor && { cursor }) }));
  const [changing, setChanging] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const { data: me } = useQuery(meQuery(surface.area));
  const isCopy = isTestTenant(me, surface.tenantId);
  const canWrite = allows(surface, 'members', 'create') && !isCopy;
  const onChange = canWrite ? setChanging : undefined;
  const onRemove = canWrite ? setRemoving : undefined;
  const sendAgain = useAction({
    run: ({ email, role: sameRole }: Member) => addMember(surface, { email, role: sameRole }, newIdempotencyKey()),
    invalidates: [membersKey(surface)],
    success: 'We sent a new invitation. The link in the previous invitation no longer works.',
  });
  const onSendAgain = (member: Member) => void sendAgain.mutateAsync(member).catch(showProblem);
  const close = () => setFilters({ panel: undefined, cursor });
  return (
    <Page
      title="Members"
      description="The people who can work in this tenant, and the people you have invited."
      actions={
        canWrite && (
          <ActionButton icon={Plus} label="Invite member" onClick={() => void setFilters({ panel: 'new', cursor })} />
        )
      }
    >
      <Stack gap="sm">
        <FilterBar filters={bar}>
          <SelectFilter name="role" label="Role" options={memberRoles} />
        </FilterBar>
        <DataTable
          caption="Members and open invitations"
          columns={memberColumns({ onChange, onRemove, onSendAgain })}
          query={query}
          skeletonRows={4}
          empty={{
            icon: Users,
            title: 'No members have this role',
            description: 'Choose another role, or reset the filter.',
          }}
        />
        {!canWrite && surface.area === 'tenant' && (
          <Hint>
            {isCopy
              ? 'A test tenant has the members of its live tenant. Change them there.'
              : 'Only owners can invite members, change roles and remove members.'}
          </Hint>
        )}
      </Stack>
      <RoleLegend />
      <FormDrawer title="Invite member" isOpen={canWrite && panel === 'new'} onClose={() => void close()} size="md">
        <NewMemberForm onDone={() => void close()} />
      </FormDrawer>
      <FormDialog title="Change role" isOpen={changing !== null} onClose={() => setChanging(null)}>
        {changing !== null && <ChangeRoleForm member={changing} onDone={() => setChanging(null)} />}
      </FormDialog>
      <RemoveMemberDialog member={removing} onClose={() => setRemoving(null)} />
    </Page>
  );
}

function RoleLegend() {
  return (
    <Section title="What each role can do">
      <SimpleGrid component="dl" cols={{ base: 1, sm: 3 }} m={0}>
        {roles.map(({ role, label, meaning }) => (
          <div key={role}>
            <Text component="dt" fw={500}>
              {label}
            </Text>
            <Text component="dd" size="sm" c="dimmed" m={0}>
              {meaning}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Section>
  );
}

interface Actions {
  /** Absent if the person may not change members. */
  readonly onChange: ((member: Member) => void) | undefined;
  readonly onRemove: ((member: Member) => void) | undefined;
  readonly onSendAgain: (member: Member) => void;
}

/** Returns the columns of the list of members. */
function memberColumns({ onChange, onRemove, onSendAgain }: Actions): readonly Column<Member>[] {
  const columns: readonly Column<Member>[] = [
    { header: 'Person', cell: (member) => <Person member={member} /> },
    { header: 'Role', cell: ({ role }) => words(role) },
    { header: 'Status', isSecondary: true, cell: ({ status }) => <StatusBadge status={status} /> },
    { header: 'Access tokens', isSecondary: true, align: 'right', cell: (member) => <Tokens member={member} /> },
    timeColumn('Since', ({ created_at: createdAt }) => createdAt, { format: 'date', isSecondary: true }),
  ];
  if (onChange === undefined || onRemove === undefined) return columns;
  const actions = { onChange, onRemove, onSendAgain };
  const cell = (member: Member) => <RowMenu member={member} {...actions} />;
  return [...columns, actionsColumn(cell, { width: 48 })];
}

function Person({ member: { name, email, status } }: { readonly member: Member }) {
  return (
    <Stack gap={0} style={{ minWidth: 0 }} align="flex-start">
      <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name ?? email}
      </Text>
      {name !== null && <Hint style={{ overflowWrap: 'anywhere' }}>{email}</Hint>}
      {status === 'invited' && (
        <Box hiddenFrom="xs" mt={2}>
          <StatusBadge status={status} />
        </Box>
      )}
    </Stack>
  );
}

function Tokens({ member: { access_tokens_count: tokens, user_id: userId } }: { readonly member: Member }) {
  if (tokens === 0) return '0';
  return (
    <SurfaceLink to="/access-tokens" search={{ created_by: userId }}>
      {formatNumber(tokens)}
    </SurfaceLink>
  );
}

interface RowMenuProps {
  readonly member: Member;
  readonly onChange: (member: Member) => void;
  readonly onRemove: (member: Member) => void;
  readonly onSendAgain: (member: Member) => void;
}

function RowMenu({ member, onChange, onRemove, onSendAgain }: RowMenuProps) {
  const isInvitation = member.status === 'invited';
  return (
    <RowActions label={`Actions for ${member.name ?? member.email}`}>
      <ActionItem icon={UserRoundCog} label="Change role" onClick={() => onChange(member)} />
      {isInvitation && <ActionItem icon={Send} label="Send again" onClick={() => onSendAgain(member)} />}
      <ActionItem
        icon={UserRoundX}
        label={isInvitation ? 'Withdraw invitation' : 'Remove member'}
        isDangerous
        onClick={() => onRemove(member)}
      />
    </RowActions>
  );
}
