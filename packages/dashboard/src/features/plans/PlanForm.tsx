import {
  ActionIcon,
  Fieldset,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { type CatalogProduct, commerceKey, createPlan, type Plan, updatePlan } from '../../api/commerce.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { MoneyInput } from '../../components/Money.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Plus, Trash2 } from '../../icons/icons.gen.ts';
import { parseMoney, problemOfMoney } from '../../lib/money.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { limitNames } from './plan-terms.ts';
import { inputOf, type PlanValues, type PriceValue, valuesOf } from './plan-values.ts';

interface PlanFormProps {
  /** Null for a new plan. */
  readonly plan: Plan | null;
  readonly products: readonly CatalogProduct[];
}

const codePattern = /^[a-z0-9-]{1,64}$/;

/** The form of a plan: names, prices, limits and the lines that buyers read. */
export function PlanForm({ plan, products }: PlanFormProps) {
  const isFree = plan?.code === 'free';
  const isReadOnly = !useWritesPlatform();
  const resource = useResourceForm<PlanValues, Plan>({
    initialValues: valuesOf(plan),
    validate: {
      code: (value) => (codePattern.test(value) ? null : 'Use lowercase letters, digits and hyphens.'),
      name: (value) => (value.trim() === '' ? 'Enter a name.' : null),
      prices: (prices) => problemOfPrices(prices),
    },
    submit: (values) => {
      const { prices, ...rest } = inputOf(values);
      if (plan === null) return createPlan({ code: values.code, prices, ...rest });
      // The plan Free never has a price, so the service refuses the field.
      return updatePlan(plan.id, isFree ? rest : { prices, ...rest });
    },
    invalidates: [commerceKey],
  });
  const { form } = resource;
  return (
    <ResourceFormBody isReadOnly={isReadOnly} resource={resource} submitLabel={plan === null ? 'Create plan' : 'Save'}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Name" description="Customers see this name." required {...form.getInputProps('name')} />
        <TextInput
          label="Code"
          description="For the API. You cannot change it later."
          required
          disabled={plan !== null}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('code')}
        />
      </SimpleGrid>
      <Select
        label="Product"
        description="Group this plan with others of the same product. Only admins see this."
        data={products.map(({ id, name }) => ({ value: id, label: name }))}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the product' }}
        placeholder="None"
        {...form.getInputProps('catalog_product_id')}
      />
      {!isFree && (
        <PriceFields
          prices={form.values.prices}
          error={form.errors['prices']}
          onChange={(prices) => form.setFieldValue('prices', prices)}
        />
      )}
      <Fieldset legend="Limits">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {limitNames.map(({ name, label }) => (
            <NumberInput
              key={name}
              label={label}
              min={name === 'integration_requests_per_minute' ? 1 : 0}
              max={1_000_000_000}
              allowDecimal={false}
              thousandSeparator=" "
              placeholder={name === 'integration_requests_per_minute' ? '6 000' : 'Unlimited'}
              {...form.getInputProps(`limits.${name}`)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <Textarea
        label="Features"
        description="Enter one feature per line. Customers see them when they choose a plan."
        minRows={3}
        {...form.getInputProps('features')}
      />
    </ResourceFormBody>
  );
}

function problemOfPrices(prices: PlanValues['prices']): string | null {
  if (prices.some(({ currency }) => !/^[a-z]{3}$/i.test(currency)))
    return 'Enter the three-letter code of each currency.';
  for (const { amount, currency } of prices) {
    if (amount.trim() === '') return 'Enter an amount for each price.';
    // A price of zero belongs to a plan that costs nothing.
    if (parseMoney(amount, currency) !== 0 && problemOfMoney(amount, currency) !== null)
      return problemOfMoney(amount, currency);
  }
  const kinds = new Set(prices.map(({ interval, currency }) => `${interval} ${currency.toLowerCase()}`));
  return kinds.size === prices.length ? null : 'Enter at most one price per month and one per year for each currency.';
}

interface PriceFieldsProps {
  readonly prices: readonly PriceValue[];
  readonly error: ReactNode;
  readonly onChange: (prices: PriceValue[]) => void;
}

/** The prices of a plan: one per interval and currency, entered as money. */
function PriceFields({ prices, error, onChange }: PriceFieldsProps) {
  const replace = (index: number, changes: Partial<PriceValue>) =>
    onChange(prices.map((price, at) => (at === index ? { ...price, ...changes } : price)));
  const add = () => {
    const last = prices.at(-1);
    onChange([
      ...prices,
      {
        interval: last?.interval === 'month' ? 'year' : 'month',
        currency: last?.currency ?? 'usd',
        amount: '',
        trial_days: last?.trial_days ?? '',
      },
    ]);
  };
  return (
    <Fieldset legend="Prices">
      <Stack gap="md">
        {prices.length === 0 && <Hint>A plan without a price cannot be bought; admins can still assign it.</Hint>}
        {prices.map((price, index) => (
          <PriceRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while it is edited.
            key={index}
            price={price}
            number={index + 1}
            onChange={(changes) => replace(index, changes)}
            onRemove={() => onChange(prices.filter((_, at) => at !== index))}
          />
        ))}
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        <ActionButton
          icon={Plus}
          label="Add price"
          variant="default"
          onClick={add}
          style={{ alignSelf: 'flex-start' }}
        />
      </Stack>
    </Fieldset>
  );
}

interface PriceRowProps {
  readonly price: PriceValue;
  readonly number: number;
  readonly onChange: (changes: Partial<PriceValue>) => void;
  readonly onRemove: () => void;
}

function PriceRow({ price, number, onChange, onRemove }: PriceRowProps) {
  const { interval, currency, amount, trial_days } = price;
  return (
    <Stack gap={6} role="group" aria-label={`Price ${number}`}>
      <Group gap="xs" wrap="nowrap">
        <MoneyInput
          aria-label="Amount"
          currency={currency}
          value={amount}
          onChange={(value) => onChange({ amount: value })}
          style={{ flex: 1 }}
        />
        <TextInput
          aria-label="Currency"
          maxLength={3}
          value={currency.toUpperCase()}
          onChange={({ currentTarget }) => onChange({ currency: currentTarget.value.toLowerCase() })}
          w={72}
        />
        <ActionIcon size="lg" aria-label={`Remove price ${number}`} onClick={onRemove}>
          <Trash2 size={15} aria-hidden="true" />
        </ActionIcon>
      </Group>
      <Group gap="xs" pr={42}>
        <Select
          aria-label="Interval"
          data={[
            { value: 'month', label: 'per month' },
            { value: 'year', label: 'per year' },
          ]}
          value={interval}
          onChange={(value) => onChange({ interval: value === 'year' ? 'year' : 'month' })}
          allowDeselect={false}
          style={{ flex: '1 1 120px' }}
        />
        <NumberInput
          aria-label="Trial days"
          placeholder="No trial"
          suffix={Number(trial_days) === 1 ? ' day free' : ' days free'}
          min={0}
          max={730}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          style={{ flex: '1 1 120px' }}
          value={trial_days}
          onChange={(value) => onChange({ trial_days: value })}
        />
      </Group>
    </Stack>
  );
}
