import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TicketPercent } from 'lucide-react';
import { type Coupon, couponsQuery } from '../../api/coupons.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { catalogSearch } from '../catalog/search.ts';
import { CouponForm } from './CouponForm.tsx';
import { CouponStatus, couponText, redemptionsText } from './coupon-terms.tsx';

const columns: readonly Column<Coupon>[] = [
  {
    header: 'Coupon',
    cell: (coupon) => (
      <>
        <span style={{ whiteSpace: 'nowrap' }}>{coupon.code}</span>
        <Text size="xs" c="dimmed" fw={400} hiddenFrom="sm">
          {couponText(coupon)}
        </Text>
      </>
    ),
  },
  { header: 'Discount', cell: couponText, isSecondary: true },
  { header: 'Redeemed', cell: redemptionsText, align: 'right' },
  {
    header: 'Expires at',
    cell: ({ expires_at }) => <TimeText value={expires_at} format="date" fallback="Never" />,
    isSecondary: true,
  },
  { header: 'Status', cell: (coupon) => <CouponStatus coupon={coupon} /> },
];

/** The coupons of the platform. */
export function CouponsTab() {
  const [{ archived, panel, cursor }, change] = useFilters(catalogSearch);
  const query = useQuery(
    couponsQuery({ ...(archived && { archived: archived === 'yes' }), ...(cursor && { cursor }) }),
  );
  const close = () => void change({ panel: undefined });
  const isFiltered = archived !== undefined;
  return (
    <Stack gap="sm">
      <FilterBar isFiltered={isFiltered} onReset={() => void change({ archived: undefined })}>
        <SelectFilter
          label="Status"
          options={[
            { value: 'no', label: 'Not archived' },
            { value: 'yes', label: 'Archived' },
          ]}
          value={archived}
          onChange={(value) => void change({ archived: value })}
        />
      </FilterBar>
      <DataTable
        caption="Coupons"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/admin/catalog/coupons/${id}`}
        empty={
          isFiltered ? (
            <EmptyState
              icon={TicketPercent}
              title="No coupon matches the filter"
              description="Choose another status."
            />
          ) : (
            <EmptyState
              icon={TicketPercent}
              title="No coupons yet"
              description="Customers enter the code of a coupon at checkout, and admins apply it to subscriptions. It lowers their invoices."
              action={<Button onClick={() => void change({ panel: 'new' })}>New coupon</Button>}
            />
          )
        }
      />
      <FormDrawer title="New coupon" isOpen={panel === 'new'} onClose={close}>
        {(onUnsaved) => <CouponForm onUnsaved={onUnsaved} onClose={close} />}
      </FormDrawer>
    </Stack>
  );
}
