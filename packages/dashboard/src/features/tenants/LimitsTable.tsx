import { Group, Progress, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { limitUsesQuery, type TenantDetail } from '../../api/tenants.ts';
import { Section } from '../../components/Section.tsx';
import { formatLimit, formatNumber } from '../../lib/text.ts';
import { type LimitName, limitLabels, limitNames } from './limits.ts';

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
                {tenant.limit_overrides[name] === undefined ? (
                  <Text span inherit c="dimmed">
                    Plan
                  </Text>
                ) : (
                  <b>Tenant</b>
                )}
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
        <Text span inherit c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          of {limit === null ? 'unlimited' : formatLimit(limit)}
        </Text>
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
