import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type OrphanSubscription, orphansQuery } from '../../api/commerce.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Unlink } from '../../icons/icons.gen.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { PlanName } from '../plans/PlanName.tsx';
import { billingAdminSearch } from './search.ts';

const reasons = { no_tenant: 'It belongs to no tenant', unknown_plan: 'Its plan does not exist' } as const;

const columns: Column<OrphanSubscription>[] = [
  {
    header: 'Subscription',
    cell: ({ provider_subscription_id: id }) => <CopyableText value={id} label="subscription ID" maxLength={24} />,
  },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Reason', cell: ({ reason }) => reasons[reason] },
  { header: 'Plan', cell: ({ plan_code }) => <PlanName code={plan_code} />, isSecondary: true },
  {
    header: 'Customer',
    cell: ({ provider_customer_id: id }) => <CopyableText value={id} label="customer ID" maxLength={18} />,
    isSecondary: true,
  },
  timeColumn('Found', ({ created_at }) => created_at, { format: 'relative', isSecondary: true }),
];

/** The subscriptions at the payment provider that the service cannot assign. */
export function OrphansTab() {
  const [{ cursor }] = useFilters(billingAdminSearch);
  const query = useQuery(orphansQuery(cursor ? { cursor } : {}));
  return (
    <>
      <Text c="dimmed" mb="sm" maw={720}>
        Customers pay for these subscriptions without getting a plan. Cancel and refund them at the payment provider, or
        create the missing plan and replay the event.
      </Text>
      <DataTable
        caption="Orphan subscriptions"
        columns={columns}
        query={query}
        skeletonRows={3}
        empty={{
          icon: Unlink,
          title: 'No orphans',
          description: 'Every subscription at the payment provider belongs to a tenant.',
        }}
      />
    </>
  );
}
