import { Group, Text } from '@mantine/core';
import type { Policy } from '../../api/tenant-catalog.ts';
import type { Column } from '../../components/DataTable.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Mono } from '../../components/Texts.tsx';
import { policySummary } from './summary.ts';
import { valuesOf } from './values.ts';

/** The columns of every list of policies. */
export const policyColumns: readonly Column<Policy>[] = [
  {
    header: 'Name',
    cell: ({ name, archived_at }) => (
      <Group gap="xs" wrap="nowrap">
        {name}
        {archived_at !== null && <StatusBadge status="archived" />}
      </Group>
    ),
    width: '24%',
  },
  {
    header: 'Code',
    cell: ({ code }) => <Mono>{code}</Mono>,
    width: '18%',
    isSecondary: true,
  },
  {
    header: 'Terms',
    cell: (policy) => (
      <Text span inherit size="sm">
        {policySummary(valuesOf(policy))}
      </Text>
    ),
  },
];
