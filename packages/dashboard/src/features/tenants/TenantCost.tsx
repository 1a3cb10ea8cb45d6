import { useQuery } from '@tanstack/react-query';
import { metricsQuery, type Range, ranges } from '../../api/metrics.ts';
import type { TenantDetail } from '../../api/tenants.ts';
import { TimeChart } from '../../components/charts/TimeChart.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { formatBytes, formatNumber, formatShare } from '../../lib/text.ts';
import { RangeControl } from '../metrics/RangeControl.tsx';

interface TenantCostProps {
  readonly tenant: TenantDetail;
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}

/** What a tenant costs to serve: storage and requests. */
export function TenantCost({ tenant, range, onRange }: TenantCostProps) {
  const { data: metrics, error, refetch } = useQuery(metricsQuery(range, tenant.id));
  const { storage_bytes: bytes } = tenant;
  return (
    <Section title="Cost" actions={<RangeControl value={range} onChange={onRange} />}>
      {metrics === undefined && <QueryPlaceholder error={error} refetch={refetch} skeleton={280} />}
      {metrics !== undefined && (
        <>
          <Facts
            cols={4}
            items={[
              {
                label: 'Database',
                value: bytes === null || bytes === undefined ? 'Not available' : formatBytes(bytes),
              },
              { label: 'Requests', value: formatNumber(metrics.totals.integration_requests) },
              { label: 'Validations', value: formatNumber(metrics.totals.validations) },
              { label: 'Error rate', value: formatShare(metrics.totals.error_rate) },
            ]}
          />
          <TimeChart
            label={`Requests of ${tenant.name} over time`}
            interval={ranges[range].interval}
            height={200}
            points={metrics.series.map((bucket) => ({
              start: bucket.bucket_start,
              requests: bucket.integration_requests,
            }))}
            series={[{ name: 'requests', label: 'Requests', color: 'accent.6' }]}
          />
        </>
      )}
    </Section>
  );
}
