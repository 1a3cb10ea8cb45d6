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
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { entitlementChoicesQuery } from '../../api/licenses.ts';
import { useSurface } from '../../shell/surface-context.ts';
import type { LicenseValues, OverrideValues } from './form-values.ts';

const emptyOverride: OverrideValues = { code: '', value: '', limit: '', expires_at: '' };

/** The entitlements of a license that differ from its policy. */
export function OverridesInput<Values extends LicenseValues>({ form }: { readonly form: UseFormReturnType<Values> }) {
  const surface = useSurface();
  const { data: entitlements = [] } = useQuery(entitlementChoicesQuery(surface));
  const rows = form.getValues().entitlements;
  const problem = form.errors['entitlements'];
  // The form's paths are typed by its values, which the two forms of licenses share only in part.
  const list = form as unknown as UseFormReturnType<LicenseValues>;
  const typeOf = (code: string) => entitlements.find((one) => one.code === code)?.type;
  return (
    <Stack component="fieldset" gap="xs" m={0} p={0} bd="none">
      <legend style={{ fontWeight: 600, padding: 0, marginBottom: 8 }}>Entitlements</legend>
      <Text size="sm" c="dimmed">
        The policy grants entitlements. Add one here to change it for this license only.
      </Text>
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
                    placeholder={type === 'boolean' ? 'true; false withholds it' : 'As in the policy'}
                    {...list.getInputProps(`entitlements.${index}.value`)}
                  />
                )}
                <TextInput
                  label="Until"
                  type="datetime-local"
                  step={1}
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
