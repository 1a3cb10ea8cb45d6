import { NumberInput, type NumberInputProps, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { productOptionsQuery } from '../../api/tenant-catalog.ts';
import { NameAndCode } from '../../components/CodeField.tsx';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { MeasureInput, type Unit } from '../../components/MeasureInput.tsx';
import { Section } from '../../components/Section.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { TermInput } from './TermInput.tsx';
import type { PolicyValues } from './values.ts';

interface FieldsProps {
  readonly form: UseFormReturnType<PolicyValues>;
}

const columns = { base: 1, sm: 2 };
const order: NonNullable<NumberInputProps['inputWrapperOrder']> = ['label', 'input', 'description', 'error'];

const timeUnits: readonly Unit[] = [
  { noun: 'day', size: 86_400 },
  { noun: 'hour', size: 3600 },
  { noun: 'minute', size: 60 },
  { noun: 'second', size: 1 },
];
const dayUnits: readonly Unit[] = [{ noun: 'day', size: 1 }];

interface FieldProps extends FieldsProps {
  readonly name: 'grace_days' | 'maintenance_days' | 'lease_seconds' | 'offline_ttl_seconds_max';
  readonly label: string;
  readonly description: string;
  readonly placeholder?: string;
}

/** A length of time with its unit, which may be left empty. */
function TimeField({ form, name, ...props }: FieldProps) {
  const { value, error, onChange } = form.getInputProps(name);
  const units = name.endsWith('_days') ? dayUnits : timeUnits;
  return (
    <MeasureInput
      {...props}
      units={units}
      emptyUnit={name === 'lease_seconds' ? 'hour' : 'day'}
      {...{ value, error, onChange }}
    />
  );
}

interface NumberFieldProps extends FieldsProps, Pick<NumberInputProps, 'label' | 'description' | 'suffix'> {
  readonly name: 'max_activations' | 'activation_overage_percent' | 'max_deactivations';
}

/** A number that may be left empty: then there is no limit. */
function NumberField({ form, name, ...props }: NumberFieldProps) {
  return (
    <NumberInput
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      inputWrapperOrder={order}
      placeholder="Any number"
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
  { value: 'creation', label: 'When it is issued' },
  { value: 'first_validation', label: 'At its first validation' },
  { value: 'first_activation', label: 'On its first device' },
];

/** How long a license is valid, and what follows. */
export function TermFields({ form }: FieldsProps) {
  const { duration_days: days, duration_months: months } = form.values;
  const isPerpetual = days === '' && months === '';
  return (
    <Section title="Term" description="How long a license is valid.">
      <SimpleGrid cols={columns} verticalSpacing="md">
        <TermInput form={form} />
        <Select
          label="The term starts"
          inputWrapperOrder={order}
          data={bases}
          allowDeselect={false}
          disabled={isPerpetual}
          {...form.getInputProps('expiry_basis')}
        />
        <TimeField
          form={form}
          name="grace_days"
          label="Grace period"
          description="It keeps working this long after it expires."
        />
        <Select
          label="After that"
          inputWrapperOrder={order}
          data={[
            { value: 'deny', label: 'It stops working' },
            { value: 'allow', label: 'It works, marked as expired' },
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
  return (
    <Section title="Devices" description="Where a license may run.">
      <SimpleGrid cols={columns} verticalSpacing="md">
        <NumberField form={form} name="max_activations" label="Devices" description="At the same time." />
        <TimeField
          form={form}
          name="lease_seconds"
          label="Free a seat after"
          placeholder="Never"
          description="Floating: a device that is silent this long frees its seat."
        />
        <Switch
          label="Only on activated devices"
          description="A device takes one of the seats before the software runs on it."
          {...form.getInputProps('require_activation', { type: 'checkbox' })}
        />
      </SimpleGrid>
    </Section>
  );
}

/** Fields with defaults that suit most policies. */
export function AdvancedFields({ form }: FieldsProps) {
  return (
    <>
      <SimpleGrid cols={columns} verticalSpacing="md">
        <NumberField
          form={form}
          name="activation_overage_percent"
          label="Devices above the limit"
          suffix=" %"
          description="They work with a warning."
        />
        <NumberField
          form={form}
          name="max_deactivations"
          label="Moves to another device"
          description="How often a customer may free a seat."
        />
        <TimeField
          form={form}
          name="offline_ttl_seconds_max"
          label="Works offline for"
          description="Afterwards the device has to connect once."
        />
        <TimeField
          form={form}
          name="maintenance_days"
          label="Updates for"
          placeholder="All releases"
          description="Releases after that are refused."
        />
        <Select
          label="A renewal counts from"
          inputWrapperOrder={order}
          data={[
            { value: 'from_expiry', label: 'The end of the term' },
            { value: 'from_now', label: 'The day of the renewal' },
          ]}
          allowDeselect={false}
          {...form.getInputProps('renewal_basis')}
        />
        <TextInput
          label="Key prefix"
          placeholder="PRO"
          description="What new keys begin with."
          inputWrapperOrder={order}
          {...form.getInputProps('key_prefix')}
        />
        <Switch
          label="Customers may replace their key"
          description="In the portal. The former key stops working at once."
          {...form.getInputProps('holder_may_replace_key', { type: 'checkbox' })}
        />
        <Switch
          label="A trial needs an email address"
          description="It starts with a code that is sent there."
          {...form.getInputProps('trial_requires_email', { type: 'checkbox' })}
        />
      </SimpleGrid>
      <JsonEditor
        label="Metadata"
        description="Your own data about the policy, as JSON."
        {...form.getInputProps('metadata')}
      />
    </>
  );
}
