import { Anchor, Pill, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Job, jobsQuery, retryJob } from '../../api/operations.ts';
import { platformKey } from '../../api/platform.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { RetryButton } from '../../components/RetryButton.tsx';
import { CircleCheckBig } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { jobSearch } from './search.ts';

function Subject({ job }: { readonly job: Job }) {
  if (job.tenant !== null) {
    return (
      <Anchor component={PathLink} to={`/admin/tenants/${job.tenant.id}`} inherit>
        {job.tenant.name}
      </Anchor>
    );
  }
  if (job.subject_id === 'platform') return 'The platform';
  return <CopyableText value={job.subject_id} label="subject ID" maxLength={16} />;
}

function RetryJobButton({ job }: { readonly job: Job }) {
  if (!useWritesPlatform()) return null;
  return (
    <RetryButton
      name={`${jobKindLabel(job.kind)} of ${job.tenant?.name ?? job.subject_id}`}
      run={() => retryJob(job.id)}
      invalidates={[platformKey('jobs'), platformKey('metrics')]}
      success={`“${jobKindLabel(job.kind)}” runs again.`}
    />
  );
}

const columns: readonly Column<Job>[] = [
  {
    header: 'Job',
    cell: (job) => (
      <Stack gap={0}>
        <Text inherit fw={500}>
          {jobKindLabel(job.kind)}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="xs" lineClamp={2}>
          {job.last_error}
        </Text>
      </Stack>
    ),
  },
  { header: 'About', cell: (job) => <Subject job={job} />, isSecondary: true, width: 190 },
  {
    header: 'Reason',
    cell: ({ last_error }) => (
      <Text inherit lineClamp={2} style={{ overflowWrap: 'anywhere' }} title={last_error ?? undefined}>
        {last_error ?? '—'}
      </Text>
    ),
    isSecondary: true,
  },
  { header: 'Attempts', cell: ({ attempts }) => attempts, align: 'right', isSecondary: true, width: 90 },
  timeColumn('Gave up', ({ updated_at }) => updated_at, {
    format: 'relative',
    align: 'right',
    isSecondary: true,
    width: 130,
  }),
  actionsColumn((job) => <RetryJobButton job={job} />, { width: 110 }),
];

/** The background jobs that the service gave up on. */
export default function JobsScreen(): ReactNode {
  const [filters, change, bar] = useFilters(jobSearch, 'kind', 'tenant_id');
  const query = useQuery(jobsQuery(filters));
  return (
    <Page
      title="Jobs"
      description="These background jobs failed eight times in a row. Correct the cause, then retry them."
    >
      <FilterBar filters={bar}>
        <SelectFilter
          name="kind"
          label="Job"
          options={jobKinds.map((kind) => ({ value: kind, label: jobKindLabel(kind) }))}
          isSearchable
        />
        {filters.tenant_id !== undefined && (
          <Pill
            withRemoveButton
            onRemove={() => void change({ tenant_id: undefined })}
            removeButtonProps={{ 'aria-label': 'Show the jobs of all tenants', tabIndex: 0, 'aria-hidden': false }}
          >
            One tenant
          </Pill>
        )}
      </FilterBar>
      <DataTable
        caption="Jobs that the service gave up on"
        columns={columns}
        query={query}
        empty={{
          icon: CircleCheckBig,
          title: 'No failed jobs',
          description: 'A job that fails repeatedly appears here with the reason, so that you can retry it.',
          noMatch: bar.isFiltered && { title: 'No jobs match', description: 'Change the filters or reset them.' },
        }}
      />
    </Page>
  );
}

/** What each kind of job does, in the words of an operator. */
const labels: Readonly<Record<string, string>> = {
  deliveries: 'Webhook deliveries',
  'delivery-repair': 'Repair of webhook deliveries',
  mail: 'Sending of mails',
  'notification-mail': 'Notification mails',
  'audit-outbox': 'Copies of audit records',
  leases: 'Release of floating devices',
  expired: 'Events of expired licenses',
  expiring: 'Notices of expiring licenses',
  retention: 'Removal of old data',
  'plan-use-recount': 'Recount of plan limits',
  onboarding: 'Creation of a bought tenant',
  'billing-sync': 'Synchronisation of a subscription',
  'billing-reconciliation': 'Comparison with the payment provider',
  dunning: 'Dunning mails',
  revenue: 'Recording of revenue',
  'account-export': 'Export of personal data',
  'account-deletion': 'Erasure of personal data',
  'activity-retention': 'Removal of old figures',
  'identity-retention': 'Removal of expired sessions and links',
  'idempotency-retention': 'Removal of idempotency keys',
  'payment-event-retention': 'Removal of payment events',
  'billing-authorization-retention': 'Removal of billing authorisations',
  'marketing-retention': 'Removal of newsletter data',
  'mail-retention': 'Removal of refused mails',
};

/** The kinds by which the list can be filtered. */
const jobKinds = Object.keys(labels);

/** Returns what a kind of job does; a kind that this version does not know in its own words. */
function jobKindLabel(kind: string): string {
  return labels[kind] ?? words(kind);
}
