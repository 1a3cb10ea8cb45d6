import { Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type RateLimitReport, rateLimitsQuery } from '../../api/operations.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Gauge } from '../../icons/icons.gen.ts';
import { formatNumber } from '../../lib/text.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { rateLimitSearch } from './search.ts';
import { WindowUse } from './WindowUse.tsx';

const sum = ({ rejections }: RateLimitReport) => rejections.reduce((total, { count }) => total + count, 0);

const columns: readonly Column<RateLimitReport>[] = [
  { header: 'Tenant', cell: ({ name }) => name },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, isSecondary: true, width: 130 },
  {
    header: 'This minute',
    cell: ({ name, used, ceiling }) => <WindowUse used={used} ceiling={ceiling} label={name} />,
    width: 200,
  },
  {
    header: 'Refused in 24 hours',
    cell: (report) => (
      <Text span inherit fw={sum(report) > 0 ? 600 : 400}>
        {formatNumber(sum(report))}
      </Text>
    ),
    align: 'right',
    width: 150,
  },
  {
    header: 'Busiest key today',
    cell: ({ top_keys: [key] }) => (key === undefined ? '—' : `${key.name} (${formatNumber(key.requests)})`),
    isSecondary: true,
    width: 220,
  },
];

/** How tenants use the rate limits of the Integration API. */
export default function RateLimitsScreen(): ReactNode {
  const [{ limited, ...filters }, change, bar] = useFilters(rateLimitSearch, 'q', 'status', 'limited');
  const query = useQuery(rateLimitsQuery({ ...filters, ...(limited && { limited: 'true' }) }));
  return (
    <Page
      title="Rate limits"
      description="How much of its request limit each tenant uses per minute. The plan sets the limit. You can change it in the limits of a tenant."
    >
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search by name or ID" />
        <SelectFilter name="status" label="Status" options={['active', 'suspended', 'closed']} />
        <Switch
          label="Refused in the last 24 hours"
          checked={limited === true}
          onChange={({ currentTarget }) => void change({ limited: currentTarget.checked || undefined })}
        />
      </FilterBar>
      <DataTable
        caption="Rate limits of tenants"
        columns={columns}
        query={query}
        rowKey={({ tenant_id: id }) => id}
        rowPath={({ tenant_id: id }) => `/admin/rate-limits/${id}`}
        empty={{
          icon: Gauge,
          title: 'No tenants yet',
          description: 'Each tenant appears here with its request limit.',
          noMatch: bar.isFiltered && {
            icon: Gauge,
            title: 'No tenants match',
            description: limited
              ? 'No requests were refused in the last 24 hours.'
              : 'Change the filters or reset them.',
          },
        }}
      />
    </Page>
  );
}
