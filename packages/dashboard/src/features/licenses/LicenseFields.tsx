import { NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { type LicenseField, type LicenseFieldName, licenseFieldList } from './fields.ts';
import type { LicenseValues } from './form-values.ts';
import { OverridesInput } from './OverridesInput.tsx';

interface LicenseFieldsProps<Values extends LicenseValues> {
  readonly form: UseFormReturnType<Values>;
  /** What an empty date means. */
  readonly emptyDate: string;
  /** The limit of the policy, for the placeholder. */
  readonly policyLimit: number | null | undefined;
}

const dateInput = { type: 'datetime-local', step: 1 } as const;

/** The fields that a new license and an existing one have. */
export function LicenseFields<Values extends LicenseValues>(props: LicenseFieldsProps<Values>) {
  const { form, emptyDate, policyLimit } = props;
  const limit = policyLimit === undefined ? '' : policyLimit === null ? 'Unlimited' : `${policyLimit}, from the policy`;
  const placeholders: Partial<Record<LicenseFieldName, string>> = { max_activations: limit };
  return (
    <>
      <Stack component="fieldset" gap="sm" m={0} p={0} bd="none">
        <legend style={{ fontWeight: 600, padding: 0, marginBottom: 8 }}>Holder</legend>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput label="Name" autoComplete="off" {...form.getInputProps('holder.name')} />
          <TextInput label="Email" type="email" autoComplete="off" {...form.getInputProps('holder.email')} />
        </SimpleGrid>
        <TextInput
          label="Reference"
          description="Your own id of the customer."
          autoComplete="off"
          {...form.getInputProps('holder.reference')}
        />
      </Stack>
      <Stack component="fieldset" gap="sm" m={0} p={0} bd="none">
        <legend style={{ fontWeight: 600, padding: 0, marginBottom: 8 }}>Term and limits</legend>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput label="Starts at" {...dateInput} {...form.getInputProps('starts_at')} />
          {licenseFieldList
            .filter(([, { kind }]) => kind !== 'text')
            .map(([name, field]) => (
              <FieldInput key={name} field={field} placeholder={placeholders[name]} input={form.getInputProps(name)} />
            ))}
        </SimpleGrid>
        <div style={{ fontSize: 'var(--mantine-font-size-xs)', color: 'var(--mantine-color-dimmed)' }}>{emptyDate}</div>
      </Stack>
      {licenseFieldList
        .filter(([, { kind }]) => kind === 'text')
        .map(([name, field]) => (
          <FieldInput key={name} field={field} input={form.getInputProps(name)} />
        ))}
      <OverridesInput form={form} />
      <JsonEditor
        label="Metadata"
        description="Your own data as a JSON object."
        placeholder={'{ "order": "2026-1042" }'}
        {...form.getInputProps('metadata')}
      />
    </>
  );
}

interface FieldInputProps {
  readonly field: LicenseField;
  readonly placeholder?: string | undefined;
  /** What the form provides: the value, the error and the handlers. */
  readonly input: object;
}

function FieldInput({ field: { kind, label, description }, placeholder = '', input }: FieldInputProps) {
  const shared = { label, description, placeholder, ...input };
  if (kind === 'integer') return <NumberInput min={0} allowDecimal={false} allowNegative={false} {...shared} />;
  return <TextInput autoComplete="off" {...(kind === 'date' && dateInput)} {...shared} />;
}
