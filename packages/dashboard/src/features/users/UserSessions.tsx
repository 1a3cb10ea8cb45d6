import type { PlatformUserDetail } from '../../api/users.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { TitledTable } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { listOf } from '../../lib/list-of.ts';

type Session = PlatformUserDetail['sessions'][number];

const columns: readonly Column<Session>[] = [
  { header: 'Device', cell: ({ device_name }) => device_name ?? 'Unnamed device' },
  {
    header: 'Last used',
    cell: ({ last_used_at }) => <TimeText value={last_used_at} format="relative" fallback="Not since the login" />,
    width: 180,
  },
  {
    header: 'Logged in',
    cell: ({ created_at }) => <TimeText value={created_at} />,
    isSecondary: true,
    align: 'right',
    width: 190,
  },
  {
    header: 'Expires',
    cell: ({ expires_at }) => <TimeText value={expires_at} format="relative" />,
    isSecondary: true,
    align: 'right',
    width: 140,
  },
];

/** The sessions of a user that have not expired. */
export function UserSessions({ sessions }: { readonly sessions: readonly Session[] }) {
  return (
    <TitledTable title="Sessions">
      <DataTable
        caption="Sessions"
        columns={columns}
        query={listOf(sessions)}
        rowKey={({ id }) => id}
        empty={<EmptyState title="Not logged in" description="The user has no session at the moment." />}
      />
    </TitledTable>
  );
}
