import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type PlatformUser, usersQuery } from '../../api/users.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SearchFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Dimmed } from '../../components/Texts.tsx';
import { ShieldCheck, UserRound } from '../../icons/icons.gen.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { userSearch } from './search.ts';
import { userStatus } from './user-status.ts';

const columns: readonly Column<PlatformUser>[] = [
  { header: 'Email', cell: ({ email }) => email },
  { header: 'Name', cell: ({ name }) => name, isSecondary: true },
  { header: 'Status', cell: (user) => <StatusBadge {...userStatus(user)} />, width: 150 },
  {
    header: 'Two-factor',
    cell: ({ two_factor_enabled: isOn }) =>
      isOn ? (
        <Group gap={4} wrap="nowrap">
          <ShieldCheck size={15} aria-hidden="true" /> On
        </Group>
      ) : (
        <Dimmed>Off</Dimmed>
      ),
    isSecondary: true,
    width: 110,
  },
  timeColumn('Joined', (user) => user.created_at, { format: 'date', align: 'right', width: 130 }),
];

/** The users of all tenants. */
export default function UsersScreen(): ReactNode {
  const [filters, , bar] = useFilters(userSearch, 'q');
  const query = useQuery(usersQuery(filters));
  return (
    <Page title="Users" description="Everyone who has an account, in all tenants.">
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search by email, name or ID" />
      </FilterBar>
      <DataTable
        caption="Users"
        columns={columns}
        query={query}
        rowPath={({ id }) => `/admin/users/${id}`}
        empty={{
          icon: UserRound,
          title: 'No users',
          description: 'People appear here when they register or accept an invitation.',
          noMatch: bar.isFiltered && {
            title: 'No users match',
            description:
              'No email address or name begins with this text. Check the spelling, or paste the ID of the user.',
          },
        }}
      />
    </Page>
  );
}
