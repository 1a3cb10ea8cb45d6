import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Range, ranges } from '../../api/metrics.ts';
import { type RateLimitReport, rateLimitQuery } from '../../api/operations.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section, TitledTable } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { KeyRound } from '../../icons/icons.gen.ts';
import { listOf } from '../../lib/list-of.ts';
import { formatNumber } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { RangeControl } from '../metrics/RangeControl.tsx';
import { rateLimitPageSearch } from './search.ts';
import { WindowUse } from './WindowUse.tsx';

type KeyUse = RateLimitReport['top_keys'][number];

const parent = { label: 'Rate limits', to: '/rate-limits' };

const columns: readonly Column<KeyUse>[] = [
  { header: 'API key', cell: ({ name }) => name },
  { header: 'Hint', cell: ({ hint }) => <code>{hint}</code>, isSecondary: true, width: 160 },
  {
    header: 'This minute',
    cell: ({ name, window }) =>
      window === null ? 'No limit' : <WindowUse used={window.used} ceiling={window.ceiling} label={name} />,
    isSecondary: true,
    width: 220,
  },
  { header: 'Requests today', cell: ({ requests }) => formatNumber(requests), align: 'right', width: 140 },
];

/** The use of one tenant's rate limit: the current window, refusals over time, and the busiest keys. */
export default function RateLimitScreen({ tenantId: id }: { readonly tenantId: string }): ReactNode {
  const [{ range = '24h' }, change] = useFilters(rateLimitPageSearch);
  const { data: report, error, refetch } = useQuery(rateLimitQuery(id, range));
  if (report !== undefined) {
    return <Report report={report} range={range} onRange={(next) => void change({ range: next })} />;
  }
  return <UnloadedPage title="Rate limit" parent={parent} error={error} refetch={refetch} skeleton={[110, 300]} />;
}

interface ReportProps {
  readonly report: RateLimitReport;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}

function Report({ report, range, onRange }: ReportProps) {
  const { tenant_id: tenantId, name, status, used, ceiling, resets_at: resetsAt, rejections, top_keys: keys } = report;
  return (
    <Page
      title={name}
      parent={parent}
      badges={<StatusBadge status={status} />}
      actions={
        <Anchor component={PathLink} to={`/admin/tenants/${tenantId}`}>
          Open tenant
        </Anchor>
      }
    >
      <Section title="Current window">
        <Facts
          items={[
            { label: 'Requests this minute', value: <WindowUse used={used} ceiling={ceiling} label={name} /> },
            { label: 'Ceiling per minute', value: formatNumber(ceiling) },
            { label: 'Resets', value: <TimeText value={resetsAt} format="relative" fallback="No window is open" /> },
          ]}
        />
      </Section>
      <Section
        title="Refused requests"
        description="Requests above the limit of the tenant or of an API key."
        actions={<RangeControl value={range} onChange={onRange} />}
      >
        <TimeChart
          label="Refused requests over time"
          interval={ranges[range].interval}
          points={rejections.map(({ bucket_start: start, count }) => ({ start, count }))}
          series={[{ name: 'count', label: 'Refused', color: 'red.6' }]}
        />
      </Section>
      <TitledTable title="Busiest keys today">
        <DataTable
          caption="Busiest keys today"
          columns={columns}
          query={listOf(keys)}
          empty={{
            icon: KeyRound,
            title: 'No requests today',
            description: 'No API key has been used since midnight UTC.',
          }}
        />
      </TitledTable>
    </Page>
  );
}
