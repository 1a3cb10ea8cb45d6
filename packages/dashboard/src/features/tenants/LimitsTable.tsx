import { Fieldset, Group, NumberInput, Progress, Select, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { platformKey } from '../../api/platform.ts';
import { limitUsesQuery, type Tenant, type TenantDetail, updateTenant } from '../../api/tenants.ts';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { Dimmed } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { formatLimit, formatNumber } from '../../lib/text.ts';
import { PlanName } from '../plans/PlanName.tsx';
import { type LimitName, limitChanges, limitInputs, limitLabels, limitNames } from './limits.ts';

interface LimitsTableProps {
  readonly tenant: TenantDetail;
  readonly action: ReactNode;
}

/** The limits of a tenant: their use, and whether they come from the plan. */
export function LimitsTable({ tenant, action }: LimitsTableProps) {
  const isActive = tenant.status === 'active';
  const { data: uses } = useQuery({ ...limitUsesQuery(tenant.id), enabled: isActive });
  return (
    <Section title="Limits" actions={action}>
      <Table verticalSpacing={6} horizontalSpacing={4}>
        <caption className="visually-hidden">Limits</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th fw={500} c="dimmed">
              Limit
            </Table.Th>
            <Table.Th fw={500} c="dimmed">
              Use
            </Table.Th>
            <Table.Th fw={500} c="dimmed" ta="right">
              From
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {limitNames.map((name) => (
            <Table.Tr key={name}>
              <Table.Td>{limitLabels[name]}</Table.Td>
              <Table.Td>
                <Use limit={tenant.limits[name]} used={uses?.[name].used} name={name} />
              </Table.Td>
              <Table.Td ta="right">
                {tenant.limit_overrides[name] === undefined ? <Dimmed>Plan</Dimmed> : <b>Tenant</b>}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

const nearlyUsed = 80;

function Use({
  limit,
  used,
  name,
}: {
  readonly limit: number | null;
  readonly used: number | undefined;
  readonly name: LimitName;
}) {
  if (used === undefined) return <span className="tabular">{formatLimit(limit)}</span>;
  const share = limit === null || limit === 0 ? 0 : Math.min((used / limit) * 100, 100);
  return (
    <Stack gap={4} maw={240}>
      <Group gap={4} wrap="nowrap" className="tabular">
        {formatNumber(used)}
        <Dimmed style={{ whiteSpace: 'nowrap' }}>{limit === null ? '· unlimited' : `of ${formatLimit(limit)}`}</Dimmed>
      </Group>
      {limit !== null && (
        <Progress
          size={4}
          value={share}
          color={share > nearlyUsed ? 'red' : 'accent'}
          aria-label={`${limitLabels[name]} in use`}
        />
      )}
    </Stack>
  );
}

interface LimitsFormProps {
  readonly tenant: Tenant;
}

const sources = [
  { value: 'plan', label: 'Limit of the plan' },
  { value: 'own', label: 'Custom limit' },
  { value: 'unlimited', label: 'Unlimited' },
] as const;

const sourcesOf = (name: LimitName) =>
  sources.filter(({ value }) => name !== 'integration_requests_per_minute' || value !== 'unlimited');

/** Replaces single limits of the plan for one tenant. */
export function LimitsForm({ tenant }: LimitsFormProps) {
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
    invalidates: [platformKey('tenants'), ['admin', tenant.id]],
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Save limits">
      <Stack gap="sm">
        <Text>
          A custom limit replaces the limit of the plan “<PlanName code={tenant.plan_code} />” and stays when the plan
          changes. It applies immediately.
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
