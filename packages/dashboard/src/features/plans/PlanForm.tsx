import { Fieldset, NumberInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type CatalogProduct, commerceKey, createPlan, type Plan, updatePlan } from '../../api/commerce.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { parseMoney, problemOfMoney } from '../../lib/money.ts';
import { PriceFields } from './PriceFields.tsx';
import { limitNames } from './plan-terms.ts';
import { inputOf, type PlanValues, valuesOf } from './plan-values.ts';

interface PlanFormProps {
  /** Null for a new plan. */
  readonly plan: Plan | null;
  readonly products: readonly CatalogProduct[];
  readonly onUnsaved?: (isUnsaved: boolean) => void;
  /** Closes the panel of a new plan; the page of an existing plan stays open. */
  readonly onClose?: () => void;
}

const ignore = () => undefined;
const codePattern = /^[a-z0-9-]{1,64}$/;

/** The form of a plan: names, prices, limits and the lines that buyers read. */
export function PlanForm({ plan, products, onUnsaved = ignore, onClose }: PlanFormProps) {
  const client = useQueryClient();
  const isFree = plan?.code === 'free';
  const resource = useResourceForm<PlanValues, Plan>({
    initialValues: valuesOf(plan),
    validate: {
      code: (value) => (codePattern.test(value) ? null : 'Use lower-case letters, digits and hyphens.'),
      name: (value) => (value.trim() === '' ? 'Enter a name.' : null),
      prices: (prices) => problemOfPrices(prices),
    },
    submit: (values) => {
      const { prices, ...rest } = inputOf(values);
      if (plan === null) return createPlan({ code: values.code, prices, ...rest });
      // The plan Free never has a price, so the service refuses the field.
      return updatePlan(plan.id, isFree ? rest : { prices, ...rest });
    },
    onSaved: async () => {
      await client.invalidateQueries({ queryKey: commerceKey });
      onClose?.();
    },
  });
  useUnsaved(resource.isUnsaved, onUnsaved);
  const { form } = resource;
  return (
    <ResourceFormBody
      resource={resource}
      submitLabel={plan === null ? 'Create plan' : 'Save'}
      {...(onClose && { onCancel: onClose })}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Name" description="Buyers see it." required {...form.getInputProps('name')} />
        <TextInput
          label="Code"
          description="Names the plan in the API; it cannot be changed."
          required
          disabled={plan !== null}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('code')}
        />
      </SimpleGrid>
      <Select
        label="Product"
        description="Groups plans for admins."
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
        description="One line each, as buyers read them."
        minRows={3}
        {...form.getInputProps('features')}
      />
    </ResourceFormBody>
  );
}

function problemOfPrices(prices: PlanValues['prices']): string | null {
  if (prices.some(({ currency }) => !/^[a-z]{3}$/i.test(currency))) return 'Enter the three letters of each currency.';
  for (const { amount, currency } of prices) {
    if (amount.trim() === '') return 'Enter an amount for each price.';
    // A price of zero belongs to a plan that costs nothing.
    if (parseMoney(amount, currency) !== 0 && problemOfMoney(amount, currency) !== null)
      return problemOfMoney(amount, currency);
  }
  const kinds = new Set(prices.map(({ interval, currency }) => `${interval} ${currency.toLowerCase()}`));
  return kinds.size === prices.length ? null : 'Each currency has one price per month and one per year.';
}
