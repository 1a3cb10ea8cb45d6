import { NumberInput, type NumberInputProps, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { productOptionsQuery } from '../../api/tenant-catalog.ts';
import { NameAndCode } from '../../components/CodeField.tsx';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { Section } from '../../components/Section.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { daysText, secondsText } from './summary.ts';
import type { PolicyValues } from './values.ts';

interface FieldsProps {
  readonly form: UseFormReturnType<PolicyValues>;
}

const columns = { base: 1, sm: 2 };

interface NumberFieldProps extends FieldsProps, Pick<NumberInputProps, 'label' | 'description' | 'min' | 'max'> {
  readonly name: keyof PolicyValues & string;
  /** What an empty field means. */
  readonly placeholder?: string;
}

/** A number that may be left empty. */
function NumberField({ form, name, placeholder, ...props }: NumberFieldProps) {
  return (
    <NumberInput
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...(placeholder !== undefined && { placeholder })}
      {...props}
      {...form.getInputProps(name)}
    />
  );
}

/** Which product the policy belongs to, and its names. */
export function BasicFields({ form, isNew }: FieldsProps & { readonly isNew: boolean }) {
  const surface = useSurface();
  const { data: products = [] } = useQuery({ ...productOptionsQuery(surface), enabled: isNew });
  return (
    <Section title="Basics">
      <SimpleGrid cols={columns} verticalSpacing="md">
        <NameAndCode form={form} isNew={isNew} codeDescription="Unique within the product." />
        {isNew && (
          <Select
            label="Product"
            required
            searchable
            data={products.map(({ id, name }) => ({ value: id, label: name }))}
            nothingFoundMessage="No product has this name"
            allowDeselect={false}
            {...form.getInputProps('product_id')}
          />
        )}
      </SimpleGrid>
    </Section>
  );
}

const bases = [
  { value: 'creation', label: 'Its creation' },
  { value: 'first_validation', label: 'Its first validation' },
  { value: 'first_activation', label: 'Its first activation' },
];

/** How long a license is valid, and what follows. */
export function TermFields({ form }: FieldsProps) {
  const { duration_days: days, grace_days: grace } = form.values;
  const isPerpetual = days === '';
  return (
    <Section title="Term" description="How long a license is valid.">
      <SimpleGrid cols={columns} verticalSpacing="md">
        <NumberField
          form={form}
          name="duration_days"
          label="Duration days"
          placeholder="Forever"
          description={isPerpetual ? 'Empty: the license does not expire.' : daysText(Number(days))}
        />
        <Select
          label="Expiry basis"
          description="The days count from …"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={bases}
          allowDeselect={false}
          disabled={isPerpetual}
          {...form.getInputProps('expiry_basis')}
        />
        <NumberField
          form={form}
          name="grace_days"
          label="Grace days"
          description={
            grace === '' || grace === 0
              ? 'Days after the expiry during which it still works.'
              : `It still works for ${daysText(Number(grace))} after the expiry.`
          }
        />
        <Select
          label="Expiry strategy"
          description="What an application is told after that."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={[
            { value: 'deny', label: 'Not valid any more' },
            { value: 'allow', label: 'Valid, but expired' },
          ]}
          allowDeselect={false}
          disabled={isPerpetual}
          {...form.getInputProps('expiry_strategy')}
        />
      </SimpleGrid>
    </Section>
  );
}

/** The number of devices of a license, and how seats are freed. */
export function DeviceFields({ form }: FieldsProps) {
  const { lease_seconds: lease } = form.values;
  return (
    <Section title="Devices" description="Where a license may run.">
      <SimpleGrid cols={columns} verticalSpacing="md">
        <NumberField
          form={form}
          name="max_activations"
          label="Max activations"
          placeholder="Any number"
          description="Devices at the same time."
        />
        <NumberField
          form={form}
          name="activation_overage_percent"
          label="Activation overage percent"
          placeholder="Any number"
          description="How far the limit may be exceeded, with a warning."
        />
        <NumberField
          form={form}
          name="lease_seconds"
          label="Lease seconds"
          placeholder="Not floating"
          description={
            lease === ''
              ? 'Floating: a device that is silent for so long frees its seat.'
              : `A device that is silent for ${secondsText(Number(lease))} frees its seat.`
          }
        />
        <NumberField
          form={form}
          name="max_deactivations"
          label="Max deactivations"
          placeholder="Any number"
          description="How often the holder may move to another device."
        />
        <Switch
          label="Require activation"
          description="Valid only on a device that was activated."
          {...form.getInputProps('require_activation', { type: 'checkbox' })}
        />
      </SimpleGrid>
    </Section>
  );
}

/** Fields with defaults that suit most policies. */
export function AdvancedFields({ form }: FieldsProps) {
  const { offline_ttl_seconds_max: ttl } = form.values;
  return (
    <Section title="Updates, renewal and keys">
      <SimpleGrid cols={columns} verticalSpacing="md">
        <NumberField
          form={form}
          name="maintenance_days"
          label="Maintenance days"
          placeholder="All releases"
          description="Days during which new releases are included."
        />
        <Select
          label="Renewal basis"
          description="A renewal adds the duration to …"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={[
            { value: 'from_expiry', label: 'The expiry' },
            { value: 'from_now', label: 'The day of the renewal' },
          ]}
          allowDeselect={false}
          {...form.getInputProps('renewal_basis')}
        />
        <NumberField
          form={form}
          name="offline_ttl_seconds_max"
          label="Offline ttl seconds max"
          description={`Offline certificates are valid for at most ${ttl === '' ? '7 days' : secondsText(Number(ttl))}.`}
        />
        <TextInput
          label="Key prefix"
          placeholder="PRO"
          description="What generated keys begin with."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('key_prefix')}
        />
        <Switch
          label="Holder may replace key"
          description="In the portal. The former key stops working at once."
          {...form.getInputProps('holder_may_replace_key', { type: 'checkbox' })}
        />
        <Switch
          label="Trial requires email"
          description="A trial without a key starts with a code from a mail."
          {...form.getInputProps('trial_requires_email', { type: 'checkbox' })}
        />
      </SimpleGrid>
      <JsonEditor
        label="Metadata"
        description="Your own data about the policy, as JSON."
        {...form.getInputProps('metadata')}
      />
    </Section>
  );
}
