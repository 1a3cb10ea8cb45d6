import { Fieldset, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { platformKey } from '../../api/platform.ts';
import { type Tenant, updateTenant } from '../../api/tenants.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { type LimitName, limitChanges, limitInputs, limitLabels, limitNames } from './limits.ts';

interface LimitsFormProps {
  readonly tenant: Tenant;
  readonly onDone: () => void;
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

const sources = [
  { value: 'plan', label: "The plan's limit" },
  { value: 'own', label: 'A limit of its own' },
  { value: 'unlimited', label: 'Unlimited' },
] as const;

const sourcesOf = (name: LimitName) =>
  sources.filter(({ value }) => name !== 'integration_requests_per_minute' || value !== 'unlimited');

/** Replaces single limits of the plan for one tenant. */
export function LimitsForm({ tenant, onDone, onUnsaved }: LimitsFormProps) {
  const client = useQueryClient();
  const resource = useResourceForm({
    initialValues: { limits: limitInputs(tenant) },
    validate: {
      limits: Object.fromEntries(
        limitNames.map((name) => [
          name,
          ({ source, value }: { source: string; value: number | string }) =>
            source === 'own' && value === '' ? 'Enter the limit.' : null,
        ]),
      ),
    },
    submit: ({ limits }) => updateTenant(tenant.id, { limits: limitChanges(limits) }),
    onSaved: async () => {
      await client.invalidateQueries({ queryKey: platformKey('tenants') });
      await client.invalidateQueries({ queryKey: ['admin', tenant.id] });
      onDone();
    },
  });
  const { form } = resource;
  useUnsaved(resource.isUnsaved, onUnsaved);
  return (
    <ResourceFormBody resource={resource} submitLabel="Save limits" onCancel={onDone}>
      <Stack gap="sm">
        <Text>
          A limit of its own replaces the one of the plan “{tenant.plan_code}”, and stays when the plan changes. It
          applies from the next request on.
        </Text>
        {limitNames.map((name) => {
          const source = form.values.limits[name].source;
          return (
            <Fieldset key={name} variant="unstyled" legend={limitLabels[name]}>
              <Group gap="xs" align="flex-start" wrap="nowrap">
                <Select
                  aria-label={`${limitLabels[name]}: source`}
                  data={sourcesOf(name)}
                  allowDeselect={false}
                  w={190}
                  {...form.getInputProps(`limits.${name}.source`)}
                />
                {source === 'own' && (
                  <NumberInput
                    aria-label={limitLabels[name]}
                    min={name === 'integration_requests_per_minute' ? 1 : 0}
                    allowDecimal={false}
                    thousandSeparator
                    style={{ flex: 1 }}
                    {...form.getInputProps(`limits.${name}.value`)}
                    error={form.errors[`limits.${name}`]}
                  />
                )}
              </Group>
            </Fieldset>
          );
        })}
      </Stack>
    </ResourceFormBody>
  );
}
