import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AdminSubscription, adminPlansQuery, subscriptionsQuery } from '../../api/commerce.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { Page } from '../../components/Page.tsx';
import { TenantFilter } from '../../components/TenantSelect.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { CreditCard } from '../../icons/icons.gen.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { PlanName } from '../plans/PlanName.tsx';
import { SubscriptionStatus } from './SubscriptionStatus.tsx';
import { subscriptionSearch, subscriptionStatuses } from './search.ts';

const columns: Column<AdminSubscription>[] = [
  { header: 'Tenant', cell: ({ tenant_name }) => tenant_name },
  { header: 'Status', cell: (row) => <SubscriptionStatus subscription={row} /> },
  { header: 'Plan', cell: ({ plan_code }) => <PlanName code={plan_code} />, isSecondary: true },
  {
    header: 'Price',
    align: 'right',
    cell: ({ amount, currency, interval }) => (
      <>
        <MoneyText amount={amount} currency={currency} /> / {interval}
      </>
    ),
  },
  {
    header: 'Renews or ends',
    cell: ({ current_period_ends_at, cancel_at_period_end, canceled_at, status }) => (
      <>
        {canceled_at !== null && !cancel_at_period_end
          ? 'Ended '
          : cancel_at_period_end
            ? 'Ends '
            : status === 'trialing'
              ? 'Trial ends '
              : 'Renews '}
        <TimeText value={current_period_ends_at} format="date" />
      </>
    ),
    isSecondary: true,
  },
  timeColumn('Since', ({ created_at }) => created_at, { format: 'date', isSecondary: true }),
];

/** The subscriptions of all tenants. */
export default function SubscriptionsScreen(): ReactNode {
  const [search, , bar] = useFilters(subscriptionSearch, 'status', 'plan_code', 'tenant_id');
  const query = useQuery(subscriptionsQuery(search));
  const plans = useQuery(adminPlansQuery({ limit: 100 }));
  return (
    <Page title="Subscriptions" description="Subscriptions of all tenants, as the payment provider last reported them.">
      <FilterBar filters={bar}>
        <TenantFilter />
        <SelectFilter name="status" label="Status" options={subscriptionStatuses} />
        <SelectFilter
          name="plan_code"
          label="Plan"
          options={(plans.data?.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
          isSearchable
        />
      </FilterBar>
      <DataTable
        caption="Subscriptions"
        columns={columns}
        query={query}
        rowPath={({ id }) => `/admin/subscriptions/${id}`}
        empty={{
          icon: CreditCard,
          title: bar.isFiltered ? 'No subscriptions match the filters' : 'No subscriptions yet',
          description: 'A subscription appears when a customer pays for a plan.',
        }}
      />
    </Page>
  );
}
