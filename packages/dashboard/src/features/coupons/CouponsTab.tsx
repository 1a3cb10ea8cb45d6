import {
  Button,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Coupon, commerceKey, couponsQuery, createCoupon } from '../../api/commerce.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { ExpiryInput } from '../../components/ExpiryInput.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { MoneyInput } from '../../components/Money.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { TicketPercent } from '../../icons/icons.gen.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { catalogSearch } from '../catalog/search.ts';
import { CouponStatus, couponText, redemptionsText } from './coupon-terms.tsx';
import { type CouponValues, couponInput, couponRules, newCoupon } from './coupon-values.ts';

const columns: readonly Column<Coupon>[] = [
  {
    header: 'Coupon',
    cell: (coupon) => (
      <>
        <span style={{ whiteSpace: 'nowrap' }}>{coupon.code}</span>
        <Text size="xs" c="dimmed" fw={400} hiddenFrom="xs">
          {couponText(coupon)}
        </Text>
      </>
    ),
  },
  { header: 'Discount', cell: couponText, isSecondary: true },
  { header: 'Redeemed', cell: redemptionsText, align: 'right' },
  timeColumn('Expires at', ({ expires_at }) => expires_at, { format: 'date', fallback: 'Never', isSecondary: true }),
  { header: 'Status', cell: (coupon) => <CouponStatus coupon={coupon} /> },
];

/** The coupons of the platform. */
export function CouponsTab() {
  const [{ archived, panel, cursor }, change, bar] = useFilters(catalogSearch, 'archived');
  const mayWrite = useWritesPlatform();
  const query = useQuery(
    couponsQuery({ ...(archived && { archived: archived === 'yes' }), ...(cursor && { cursor }) }),
  );
  const close = () => void change({ panel: undefined });
  return (
    <Stack gap="sm">
      <FilterBar filters={bar}>
        <SelectFilter
          name="archived"
          label="Status"
          options={[
            { value: 'no', label: 'Not archived' },
            { value: 'yes', label: 'Archived' },
          ]}
        />
      </FilterBar>
      <DataTable
        caption="Coupons"
        columns={columns}
        query={query}
        rowPath={({ id }) => `/admin/catalog/coupons/${id}`}
        empty={{
          icon: TicketPercent,
          title: 'No coupons yet',
          description:
            'A coupon gives a discount on invoices. Customers enter its code at checkout, and admins can apply it to subscriptions.',
          action: mayWrite && <Button onClick={() => void change({ panel: 'new' })}>New coupon</Button>,
          noMatch: bar.isFiltered && {
            icon: TicketPercent,
            title: 'No coupons match the filter',
            description: 'Choose another status to see more.',
          },
        }}
      />
      <FormDrawer title="New coupon" isOpen={mayWrite && panel === 'new'} onClose={close}>
        <CouponForm />
      </FormDrawer>
    </Stack>
  );
}

/** The form of a new coupon. A coupon never changes, so there is no form of an existing one. */
function CouponForm() {
  const resource = useResourceForm<CouponValues, unknown>({
    initialValues: newCoupon,
    validate: couponRules,
    submit: (values) => createCoupon(couponInput(values)),
    invalidates: [commerceKey],
  });
  const { form } = resource;
  const { kind, currency, duration } = form.values;
  return (
    <ResourceFormBody resource={resource} submitLabel="Create coupon">
      <TextInput
        label="Code"
        description="Customers enter this code at checkout."
        required
        maxLength={50}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('code')}
        onChange={({ currentTarget }) => form.setFieldValue('code', currentTarget.value.trim().toUpperCase())}
      />
      <TextInput
        label="Name"
        description="Invoices show this name. Leave it empty to show the code."
        maxLength={200}
        {...form.getInputProps('name')}
      />
      <SegmentedControl
        aria-label="Kind of discount"
        data={[
          { value: 'percent', label: 'Percentage' },
          { value: 'amount', label: 'Amount' },
        ]}
        style={{ alignSelf: 'flex-start' }}
        {...form.getInputProps('kind')}
      />
      {kind === 'percent' ? (
        <TextInput
          label="Percent off"
          required
          inputMode="decimal"
          autoComplete="off"
          placeholder="20"
          rightSection={<Text c="dimmed">%</Text>}
          {...form.getInputProps('percent_off')}
        />
      ) : (
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <MoneyInput
            label="Amount off"
            required
            currency={currency}
            style={{ flex: 1 }}
            {...form.getInputProps('amount_off')}
          />
          <TextInput
            label="Currency"
            required
            maxLength={3}
            w={96}
            error={form.errors['currency']}
            value={currency.toUpperCase()}
            onChange={({ currentTarget }) => form.setFieldValue('currency', currentTarget.value.toLowerCase())}
          />
        </Group>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Duration"
          data={[
            { value: 'once', label: 'The next invoice' },
            { value: 'repeating', label: 'A number of months' },
            { value: 'forever', label: 'Every invoice' },
          ]}
          allowDeselect={false}
          {...form.getInputProps('duration')}
        />
        {duration === 'repeating' && (
          <NumberInput
            label="Duration months"
            required
            min={1}
            max={120}
            allowDecimal={false}
            {...form.getInputProps('duration_months')}
          />
        )}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <ExpiryInput
          description="Leave this empty if the coupon never expires."
          w="100%"
          {...form.getInputProps('expires_at')}
        />
        <NumberInput
          label="Max redemptions"
          description="Leave this empty to allow any number of redemptions."
          min={1}
          max={1_000_000_000}
          allowDecimal={false}
          thousandSeparator=" "
          {...form.getInputProps('max_redemptions')}
        />
      </SimpleGrid>
      <Hint>A coupon cannot be changed afterwards. Archive it to end its redemption; discounts that exist stay.</Hint>
    </ResourceFormBody>
  );
}
