import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { mailsQuery, retryMail, type UnsentMail } from '../../api/operations.ts';
import { platformKey } from '../../api/platform.ts';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { RetryButton } from '../../components/RetryButton.tsx';
import { MailCheck } from '../../icons/icons.gen.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { mailPeriods, mailSearch } from './search.ts';

const isExpired = ({ expires_at }: UnsentMail) => expires_at !== null && Date.parse(expires_at) <= Date.now();

function RetryMailButton({ mail }: { readonly mail: UnsentMail }) {
  if (!useWritesPlatform()) return null;
  return (
    <RetryButton
      name={`the mail to ${mail.to ?? mail.id}`}
      run={() => retryMail(mail.id)}
      invalidates={[platformKey('mails'), platformKey('metrics')]}
      success={`The mail to ${mail.to ?? 'the recipient'} is sent again.`}
      {...(isExpired(mail) && { refusal: 'The link in this mail has expired. The recipient must request a new mail.' })}
    />
  );
}

const columns: readonly Column<UnsentMail>[] = [
  {
    header: 'Recipient',
    cell: (mail) => (
      <Stack gap={0}>
        <Text inherit fw={500} style={{ overflowWrap: 'anywhere' }}>
          {mail.to ?? 'Encrypted with an unknown key'}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="xs" lineClamp={3}>
          {[mail.subject, mail.last_error].filter(Boolean).join(' — ')}
        </Text>
      </Stack>
    ),
  },
  { header: 'Subject', cell: ({ subject }) => subject ?? '—', isSecondary: true },
  {
    header: 'Reason',
    cell: ({ last_error }) => (
      <Text inherit lineClamp={2} style={{ overflowWrap: 'anywhere' }} title={last_error ?? undefined}>
        {last_error ?? '—'}
      </Text>
    ),
    isSecondary: true,
  },
  timeColumn('Gave up', ({ died_at }) => died_at, {
    format: 'relative',
    align: 'right',
    isSecondary: true,
    width: 130,
  }),
  timeColumn('Link expires', ({ expires_at }) => expires_at, {
    format: 'relative',
    fallback: 'Never',
    align: 'right',
    isSecondary: true,
    width: 130,
  }),
  actionsColumn((mail) => <RetryMailButton mail={mail} />, { width: 110 }),
];

/** The mails that the service gave up on. */
export default function MailsScreen(): ReactNode {
  const [{ period, cursor }, , bar] = useFilters(mailSearch, 'period');
  // To the minute, so that the query does not change with every rendering.
  const from = useMemo(() => {
    if (period === undefined) return undefined;
    const minuteMs = 60_000;
    return new Date(Math.floor(Date.now() / minuteMs) * minuteMs - mailPeriods[period] * 86_400_000).toISOString();
  }, [period]);
  const query = useQuery(mailsQuery({ ...(from !== undefined && { from }), ...(cursor !== undefined && { cursor }) }));
  return (
    <Page
      title="Mails"
      description="These mails were refused by a mail server or failed for seven days. We keep them for 30 days without their text."
    >
      <FilterBar filters={bar}>
        <SelectFilter
          name="period"
          label="Period"
          options={[
            { value: 'day', label: 'Last 24 hours' },
            { value: 'week', label: 'Last 7 days' },
          ]}
        />
      </FilterBar>
      <DataTable
        caption="Mails that the service gave up on"
        columns={columns}
        query={query}
        empty={{
          icon: MailCheck,
          title: 'No failed mails',
          description: 'A mail that a mail server refuses appears here with the reason, so that you can retry it.',
          noMatch: period !== undefined && {
            title: 'No mails match',
            description: 'No mails were refused in this period.',
          },
        }}
      />
    </Page>
  );
}
