import { useQuery } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import type { components } from '../../api/schema.gen.ts';
import { tenantMembersQuery } from '../../api/tenants.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { TitledTable } from '../../components/TitledTable.tsx';
import { words } from '../../lib/text.ts';

type Member = components['schemas']['Member'];

const columns: readonly Column<Member>[] = [
  { header: 'Email', cell: ({ email }) => email },
  { header: 'Name', cell: ({ name }) => name ?? '—', isSecondary: true },
  { header: 'Role', cell: ({ role }) => words(role), width: 110 },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, isSecondary: true, width: 120 },
  {
    header: 'Since',
    cell: ({ created_at }) => <TimeText value={created_at} format="date" />,
    align: 'right',
    isSecondary: true,
    width: 130,
  },
];

/** The people of a tenant. A row leads to the person's account, or to the tenant's members for an invitation. */
export function TenantMembers({ tenantId }: { readonly tenantId: string }) {
  const query = useQuery(tenantMembersQuery(tenantId));
  return (
    <TitledTable title="Members">
      <DataTable
        caption="Members"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        rowPath={({ user_id: userId }) =>
          userId === null ? `/admin/tenants/${tenantId}/members` : `/admin/users/${userId}`
        }
        skeletonRows={2}
        empty={
          <EmptyState
            icon={Users}
            title="No members"
            description="Nobody can work in this tenant yet: it has no owner."
          />
        }
      />
    </TitledTable>
  );
}
