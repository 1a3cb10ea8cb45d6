import { Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type FeatureFlag, flagsQuery } from '../../api/feature-flags.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SearchFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Flag, Plus } from '../../icons/icons.gen.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { isEnabled, variantNames } from './definition.ts';
import { flagSearch } from './search.ts';

const columns: readonly Column<FeatureFlag>[] = [
  { header: 'Key', cell: ({ key }) => key },
  {
    header: 'State',
    cell: ({ definition }) => (
      <StatusBadge
        status={isEnabled(definition) ? 'enabled' : 'disabled'}
        tone={isEnabled(definition) ? 'good' : 'neutral'}
      />
    ),
    width: 120,
  },
  {
    header: 'Variants',
    cell: ({ definition }) => (
      <Group gap={4}>
        {variantNames(definition).map((name) => (
          <Code key={name}>{name}</Code>
        ))}
      </Group>
    ),
    isSecondary: true,
    width: 220,
  },
  {
    header: 'Description',
    cell: ({ description }) => (
      <Text inherit lineClamp={1}>
        {description ?? '—'}
      </Text>
    ),
    isSecondary: true,
  },
  timeColumn('Changed', ({ updated_at }) => updated_at, {
    format: 'relative',
    align: 'right',
    isSecondary: true,
    width: 140,
  }),
];

/** The feature flags of the platform. */
export default function FlagsScreen(): ReactNode {
  const [filters, , bar] = useFilters(flagSearch, 'key');
  const navigate = useNavigate();
  const query = useQuery(flagsQuery(filters));
  const mayWrite = useWritesPlatform();
  const newButton = mayWrite && (
    <ActionButton
      icon={Plus}
      label="New feature flag"
      onClick={() => void navigate({ to: '/admin/feature-flags/new' })}
    />
  );
  return (
    <Page
      title="Feature flags"
      description="Applications evaluate flags for a tenant over OFREP. Changes apply to the next evaluation on every node."
      actions={newButton}
    >
      <FilterBar filters={bar}>
        <SearchFilter name="key" label="Complete key" />
      </FilterBar>
      <DataTable
        caption="Feature flags"
        columns={columns}
        query={query}
        rowPath={({ id }) => `/admin/feature-flags/${id}`}
        empty={{
          icon: Flag,
          title: 'No feature flags yet',
          description: 'Use a flag to turn a feature on for some tenants without a deployment, for example by plan.',
          action: newButton,
          noMatch: filters.key !== undefined && {
            title: 'No flags match',
            description: 'No flag has this key. Enter the complete key.',
          },
        }}
      />
    </Page>
  );
}
