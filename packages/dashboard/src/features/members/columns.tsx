import { ActionIcon, Box, Menu, Stack, Text } from '@mantine/core';
import { Ellipsis, Send, UserRoundCog, UserRoundX } from 'lucide-react';
import type { Member } from '../../api/members.ts';
import type { Column } from '../../components/DataTable.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { formatNumber, words } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';

interface Actions {
  /** Absent if the person may not change members. */
  readonly onChange: ((member: Member) => void) | undefined;
  readonly onRemove: ((member: Member) => void) | undefined;
  readonly onSendAgain: (member: Member) => void;
}

/** Returns the columns of the list of members. */
export function memberColumns({ onChange, onRemove, onSendAgain }: Actions): readonly Column<Member>[] {
  const columns: readonly Column<Member>[] = [
    { header: 'Person', cell: (member) => <Person member={member} /> },
    { header: 'Role', cell: ({ role }) => words(role) },
    { header: 'Status', isSecondary: true, cell: ({ status }) => <StatusBadge status={status} /> },
    { header: 'Access tokens', isSecondary: true, align: 'right', cell: (member) => <Tokens member={member} /> },
    {
      header: 'Since',
      isSecondary: true,
      cell: ({ created_at: createdAt }) => <TimeText value={createdAt} format="date" />,
    },
  ];
  if (onChange === undefined || onRemove === undefined) return columns;
  const actions = { onChange, onRemove, onSendAgain };
  const cell = (member: Member) => <RowMenu member={member} {...actions} />;
  return [...columns, { header: 'Actions', isHeaderHidden: true, align: 'right', width: 48, cell }];
}

function Person({ member: { name, email, status } }: { readonly member: Member }) {
  return (
    <Stack gap={0} style={{ minWidth: 0 }} align="flex-start">
      <Text size="md" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name ?? email}
      </Text>
      {name !== null && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
      )}
      {status === 'invited' && (
        <Box hiddenFrom="sm" mt={2}>
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
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${member.name ?? member.email}`}>
          <Ellipsis size={16} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<UserRoundCog size={15} aria-hidden="true" />} onClick={() => onChange(member)}>
          Change role
        </Menu.Item>
        {isInvitation && (
          <Menu.Item leftSection={<Send size={15} aria-hidden="true" />} onClick={() => onSendAgain(member)}>
            Send again
          </Menu.Item>
        )}
        <Menu.Item
          color="red"
          leftSection={<UserRoundX size={15} aria-hidden="true" />}
          onClick={() => onRemove(member)}
        >
          {isInvitation ? 'Withdraw invitation' : 'Remove member'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
