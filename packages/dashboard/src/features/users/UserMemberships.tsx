import type { PlatformUserDetail } from '../../api/users.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { TitledTable } from '../../components/TitledTable.tsx';
import { listOf } from '../../lib/list-of.ts';
import { words } from '../../lib/text.ts';

type Membership = PlatformUserDetail['memberships'][number];

const columns: readonly Column<Membership>[] = [
  { header: 'Tenant', cell: ({ tenant_name }) => tenant_name },
  { header: 'Role', cell: ({ role }) => words(role), width: 120 },
  { header: 'Status', cell: ({ tenant_status }) => <StatusBadge status={tenant_status} />, width: 130 },
  {
    header: 'Member since',
    cell: ({ joined_at }) => <TimeText value={joined_at} format="date" />,
    align: 'right',
    isSecondary: true,
    width: 140,
  },
];

/** The tenants of a user. */
export function UserMemberships({ memberships }: { readonly memberships: readonly Membership[] }) {
  return (
    <TitledTable title="Memberships">
      <DataTable
        caption="Memberships"
        columns={columns}
        query={listOf(memberships)}
        rowKey={({ tenant_id }) => tenant_id}
        rowPath={({ tenant_id }) => `/admin/tenants/${tenant_id}`}
        empty={<EmptyState title="No tenant" description="The user has an account and belongs to no tenant yet." />}
      />
    </TitledTable>
  );
}
