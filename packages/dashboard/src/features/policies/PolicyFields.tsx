import { NumberInput, type NumberInputProps, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { ProductInput } from '../../components/ChoiceInput.tsx';
import { NameAndCode } from '../../components/CodeField.tsx';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { MeasureInput, type Unit } from '../../components/MeasureInput.tsx';
import { Section } from '../../components/Section.tsx';
import { TermInput } from './TermInput.tsx';
import { fingerprintMatchings, type PolicyValues, renewalBases } from './values.ts';

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
  return (
    <Section title="Basics">
      <SimpleGrid cols={columns} verticalSpacing="md">
        <NameAndCode form={form} isNew={isNew} codeDescription="The API identifies the policy by this code." />
        {isNew && <ProductInput label="Product" required allowDeselect={false} {...form.getInputProps('product_id')} />}
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
    <Section title="Term" description="Choose how long a license is valid.">
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
          description="The license keeps working for this long after it expires."
        />
        <Select
          label="After the grace period"
          inputWrapperOrder={order}
          data={[
            { value: 'deny', label: 'The license stops working' },
            { value: 'allow', label: 'The license works, marked as expired' },
          ]}
          allowDeselect={false}
          disabled={isPerpetual}
          {...form.getInputProps('expiry_strategy')}
        />
        <Switch
          label="Until the end of the month"
          description="The license expires on the last day of the month in which its term ends, also after a renewal."
          disabled={isPerpetual}
          {...form.getInputProps('ends_with_month', { type: 'checkbox' })}
        />
      </SimpleGrid>
    </Section>
  );
}

/** The number of devices of a license, and how seats are freed. */
export function DeviceFields({ form }: FieldsProps) {
  return (
    <Section title="Devices" description="Choose where a license can be used.">
      <SimpleGrid cols={columns} verticalSpacing="md">
        <NumberField
          form={form}
          name="max_activations"
          label="Devices"
          description="The most devices that can use the license at the same time."
        />
        <TimeField
          form={form}
          name="lease_seconds"
          label="Release a device after"
          placeholder="Never"
          description="For floating licenses. A device that sends nothing for this long is released."
        />
        <Switch
          label="Only on activated devices"
          description="Each device must be activated before the software runs on it."
          {...form.getInputProps('require_activation', { type: 'checkbox' })}
        />
        <Select
          label="A device is the same"
          description="Known by its parts, a repaired device stays the same. The application must send them."
          inputWrapperOrder={order}
          data={Object.entries(fingerprintMatchings).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('fingerprint_matching')}
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
          description="Devices above the limit work, and show a warning."
        />
        <NumberField
          form={form}
          name="max_deactivations"
          label="Moves to another device"
          description="How many times a customer can release a device."
        />
        <TimeField
          form={form}
          name="offline_ttl_seconds_max"
          label="Works offline for"
          description="After this time, the device must connect once."
        />
        <TimeField
          form={form}
          name="maintenance_days"
          label="Updates for"
          placeholder="All releases"
          description="Later releases do not accept the license."
        />
        <Select
          label="A renewal counts from"
          description="From the day of the renewal, early renewals lose days."
          inputWrapperOrder={order}
          data={Object.entries(renewalBases).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('renewal_basis')}
        />
        <TextInput
          label="Key prefix"
          placeholder="PRO"
          description="New keys begin with this text."
          inputWrapperOrder={order}
          {...form.getInputProps('key_prefix')}
        />
        <Switch
          label="Customers may replace their key"
          description="Customers replace it in the portal. The previous key stops working immediately."
          {...form.getInputProps('holder_may_replace_key', { type: 'checkbox' })}
        />
        <Switch
          label="A trial needs an email address"
          description="The trial starts when the customer enters the code that we send to the address."
          {...form.getInputProps('trial_requires_email', { type: 'checkbox' })}
        />
      </SimpleGrid>
      <JsonEditor
        label="Metadata"
        description="Store your own data about the policy, as JSON."
        {...form.getInputProps('metadata')}
      />
    </>
  );
}
