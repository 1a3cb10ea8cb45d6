import { Group, NumberInput, SegmentedControl, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { commerceKey } from '../../api/commerce.ts';
import { createCoupon } from '../../api/coupons.ts';
import { ExpiryInput } from '../../components/ExpiryInput.tsx';
import { MoneyInput } from '../../components/Money.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { type CouponValues, couponInput, couponRules, newCoupon } from './coupon-values.ts';

interface CouponFormProps {
  readonly onUnsaved: (isUnsaved: boolean) => void;
  readonly onClose: () => void;
}

/** The form of a new coupon. A coupon never changes, so there is no form of an existing one. */
export function CouponForm({ onUnsaved, onClose }: CouponFormProps) {
  const client = useQueryClient();
  const resource = useResourceForm<CouponValues, unknown>({
    initialValues: newCoupon,
    validate: couponRules,
    submit: (values) => createCoupon(couponInput(values)),
    onSaved: async () => {
      await client.invalidateQueries({ queryKey: commerceKey });
      onClose();
    },
  });
  useUnsaved(resource.isUnsaved, onUnsaved);
  const { form } = resource;
  const { kind, currency, duration } = form.values;
  return (
    <ResourceFormBody resource={resource} submitLabel="Create coupon" onCancel={onClose}>
      <TextInput
        label="Code"
        description="Customers enter it at checkout."
        required
        maxLength={50}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('code')}
        onChange={({ currentTarget }) => form.setFieldValue('code', currentTarget.value.trim().toUpperCase())}
      />
      <TextInput
        label="Name"
        description="The name on invoices. Empty: the code."
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
          rightSection={
            <Text size="md" c="dimmed">
              %
            </Text>
          }
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
        <ExpiryInput description="Empty: never." w="100%" {...form.getInputProps('expires_at')} />
        <NumberInput
          label="Max redemptions"
          description="Empty: any number of times."
          min={1}
          max={1_000_000_000}
          allowDecimal={false}
          thousandSeparator=" "
          {...form.getInputProps('max_redemptions')}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        A coupon cannot be changed afterwards. Archive it to end its redemption; discounts that exist stay.
      </Text>
    </ResourceFormBody>
  );
}
