import {
  ActionIcon,
  Alert,
  Autocomplete,
  Button,
  Group,
  NumberInput,
  Paper,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { entitlementOptionsQuery } from '../../api/tenant-catalog.ts';
import { JsonEditor } from '../../components/JsonEditor.tsx';
import { Hint } from '../../components/Texts.tsx';
import { Plus, Trash2 } from '../../icons/icons.gen.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { type LicenseField, type LicenseFieldName, licenseFieldList } from './fields.ts';
import type { LicenseValues, OverrideValues } from './form-values.ts';

interface LicenseFieldsProps<Values extends LicenseValues> {
  readonly form: UseFormReturnType<Values>;
  /** What an empty date means. */
  readonly emptyDate: string;
  /** The limit of the policy, for the placeholder. */
  readonly policyLimit: number | null | undefined;
}

const dateInput = { type: 'datetime-local' } as const;

/** The fields that a new license and an existing one have. */
export function LicenseFields<Values extends LicenseValues>(props: LicenseFieldsProps<Values>) {
  const { form, emptyDate, policyLimit } = props;
  const limit = policyLimit === undefined ? '' : policyLimit === null ? 'Unlimited' : `${policyLimit}, from the policy`;
  const placeholders: Partial<Record<LicenseFieldName, string>> = { max_activations: limit };
  return (
    <>
      <Stack component="fieldset" gap="sm" m={0} p={0} bd="none">
        <legend style={{ fontWeight: 600, padding: 0, marginBottom: 8 }}>Customer</legend>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput label="Name" autoComplete="off" {...form.getInputProps('holder.name')} />
          <TextInput label="Email" type="email" autoComplete="off" {...form.getInputProps('holder.email')} />
        </SimpleGrid>
        <TextInput
          label="Reference"
          description="Your own ID of the customer."
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

const emptyOverride: OverrideValues = { code: '', value: '', limit: '', expires_at: '' };

/** The entitlements of a license that differ from its policy. */
function OverridesInput<Values extends LicenseValues>({ form }: { readonly form: UseFormReturnType<Values> }) {
  const surface = useSurface();
  const { data: entitlements = [] } = useQuery(entitlementOptionsQuery(surface));
  const rows = form.getValues().entitlements;
  const problem = form.errors['entitlements'];
  // The form's paths are typed by its values, which the two forms of licenses share only in part.
  const list = form as unknown as UseFormReturnType<LicenseValues>;
  const typeOf = (code: string) => entitlements.find((one) => one.code === code)?.type;
  return (
    <Stack component="fieldset" gap="xs" m={0} p={0} bd="none">
      <legend style={{ fontWeight: 600, padding: 0, marginBottom: 8 }}>Entitlements</legend>
      <Hint>The policy grants entitlements. Add one here to change it for this license only.</Hint>
      {rows.map((row, index) => {
        const type = typeOf(row.code);
        return (
          // Rows have no identity of their own.
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position
          <Paper key={index} p="sm">
            <Stack gap="xs">
              <Group gap="xs" wrap="nowrap" align="flex-end">
                <Autocomplete
                  label="Entitlement"
                  data={entitlements.map(({ code }) => code)}
                  style={{ flex: 1 }}
                  size="sm"
                  {...list.getInputProps(`entitlements.${index}.code`)}
                />
                <ActionIcon
                  size={36}
                  aria-label={`Remove ${row.code || 'entitlement'}`}
                  onClick={() => list.removeListItem('entitlements', index)}
                >
                  <Trash2 size={16} aria-hidden="true" />
                </ActionIcon>
              </Group>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
                {type === 'metered' ? (
                  <NumberInput
                    label="Limit"
                    placeholder="As in the policy"
                    min={0}
                    allowDecimal={false}
                    {...list.getInputProps(`entitlements.${index}.limit`)}
                  />
                ) : (
                  <TextInput
                    label="Value"
                    placeholder={type === 'boolean' ? 'true or false' : 'As in the policy'}
                    {...list.getInputProps(`entitlements.${index}.value`)}
                  />
                )}
                <TextInput
                  label="Until"
                  type="datetime-local"
                  {...list.getInputProps(`entitlements.${index}.expires_at`)}
                />
              </SimpleGrid>
            </Stack>
          </Paper>
        );
      })}
      {problem !== undefined && (
        <Alert color="red" role="alert" p="xs">
          {problem}
        </Alert>
      )}
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<Plus size={14} aria-hidden="true" />}
          onClick={() => list.insertListItem('entitlements', emptyOverride)}
        >
          Add entitlement
        </Button>
      </div>
    </Stack>
  );
}
