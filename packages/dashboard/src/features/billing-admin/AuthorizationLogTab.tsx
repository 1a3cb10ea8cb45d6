import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type BillingAuthorization, billingDecisionsQuery } from '../../api/commerce.ts';
import { adminsQuery } from '../../api/users.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { ShieldCheck } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { useAdminRights } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { billingAdminSearch } from './search.ts';

const columns: Column<BillingAuthorization>[] = [
  {
    header: 'Decision',
    cell: ({ allowed }) => <StatusBadge status={allowed ? 'allowed' : 'refused'} tone={allowed ? 'good' : 'bad'} />,
  },
  {
    header: 'Request',
    cell: ({ method, path }) => (
      <Text ff="monospace" size="sm" truncate maw={{ base: 180, lg: 440 }} title={`${method} ${path}`}>
        {method} {path.replace('/api/v1/admin', '')}
      </Text>
    ),
  },
  { header: 'Role', cell: ({ role }) => words(role), isSecondary: true },
  {
    header: 'Admin',
    cell: ({ admin_id }) => <AdminName id={admin_id} />,
    isSecondary: true,
  },
  { header: 'Address', cell: ({ ip }) => ip, isSecondary: true },
  timeColumn('Time', ({ occurred_at }) => occurred_at),
];

/** Shows the name of an admin, or the id if the admin was removed or the reader may not see admins. */
function AdminName({ id }: { readonly id: string }) {
  const mayRead = useAdminRights().admins !== 'none';
  const { data: admins } = useQuery({ ...adminsQuery({ limit: 100 }), enabled: mayRead });
  const name = admins?.data.find((admin) => admin.id === id)?.name;
  return name ?? <CopyableText value={id} label="admin ID" maxLength={13} />;
}

/** Every refused request of the billing administration, and every permitted write. */
export function AuthorizationLogTab() {
  const [{ allowed, cursor }, , bar] = useFilters(billingAdminSearch, 'allowed');
  const query = useQuery(
    billingDecisionsQuery({ ...(allowed && { allowed: allowed === 'yes' }), ...(cursor && { cursor }) }),
  );
  return (
    <Stack gap="sm">
      <FilterBar filters={bar}>
        <SelectFilter
          name="allowed"
          label="Decision"
          options={[
            { value: 'yes', label: 'Allowed' },
            { value: 'no', label: 'Refused' },
          ]}
        />
      </FilterBar>
      <DataTable
        caption="Authorization log"
        columns={columns}
        query={query}
        empty={{
          icon: ShieldCheck,
          title: allowed === undefined ? 'No decisions yet' : 'No decisions match the filter',
          description: 'Every refused request to the billing administration and every permitted change appears here.',
        }}
      />
    </Stack>
  );
}
