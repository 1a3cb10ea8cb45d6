import { Group, Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Metrics } from '../../api/metrics.ts';
import { Hint } from '../../components/Texts.tsx';
import { TriangleAlert } from '../../icons/icons.gen.ts';
import { count, formatMoney, formatNumber, formatShare } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useReadsBilling } from '../../shell/PlatformArea.tsx';
import classes from './FigureCard.module.css';

/** Counts stop at this number. */
const countedMax = 1000;
const atMost = (value: number) => (value >= countedMax ? `${formatNumber(countedMax)}+` : formatNumber(value));

/** The figures of the platform that an admin looks at first. */
export function Figures({ metrics }: { readonly metrics: Metrics }) {
  const readsBilling = useReadsBilling();
  const { tenants, mrr, totals, troubles } = metrics;
  const [first, ...others] = mrr;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <FigureCard
        label="Active tenants"
        value={formatNumber(tenants.active)}
        hint={`${formatNumber(tenants.suspended)} suspended, ${formatNumber(tenants.closed)} closed`}
        to="/admin/tenants"
        search={{ status: 'active' }}
      />
      <FigureCard
        label="Monthly recurring revenue"
        value={first === undefined ? '—' : formatMoney(first.amount, first.currency)}
        hint={
          others.map(({ amount, currency }) => formatMoney(amount, currency)).join(' + ') ||
          'After lasting discounts, excluding trials'
        }
        {...(readsBilling && { to: '/admin/billing' })}
      />
      <FigureCard
        label="Validations"
        value={formatNumber(totals.validations)}
        hint={count(totals.activations, 'new device')}
      />
      <FigureCard
        label="Error rate"
        value={formatShare(totals.error_rate)}
        hint={`of ${count(totals.integration_requests, 'request')}`}
      />
      {troubles !== null && (
        <>
          <FigureCard
            label="Past due"
            value={atMost(troubles.past_due)}
            hint={troubles.past_due === 1 ? 'subscription' : 'subscriptions'}
            needsAction={troubles.past_due > 0}
            {...(readsBilling
              ? { to: '/admin/dunning' }
              : { to: '/admin/subscriptions', search: { status: 'past_due' } })}
          />
          <FigureCard
            label="Failed jobs"
            value={atMost(troubles.dead_jobs)}
            hint={troubles.dead_jobs === 0 ? 'All jobs are running' : 'Waiting for a retry'}
            needsAction={troubles.dead_jobs > 0}
            to="/admin/jobs"
          />
          <FigureCard
            label="Mails refused"
            value={atMost(troubles.dead_mails)}
            hint={troubles.dead_mails === 0 ? 'All mails were sent' : 'In the last 30 days'}
            needsAction={troubles.dead_mails > 0}
            to="/admin/mails"
          />
        </>
      )}
      <FigureCard
        label="Webhook success"
        value={formatShare(totals.webhook_success_rate)}
        hint={`${formatNumber(totals.webhook_attempts_failed)} failed`}
      />
    </SimpleGrid>
  );
}

interface FigureCardProps {
  readonly label: string;
  readonly value: ReactNode;
  readonly hint?: ReactNode;
  /** The page with the details. */
  readonly to?: string;
  readonly search?: Readonly<Record<string, unknown>>;
  /** Whether somebody must act; a sign says it as well as the colour. */
  readonly needsAction?: boolean;
}

/** One figure with its name, which leads to its details. */
function FigureCard({ label, value, hint, to, search, needsAction = false }: FigureCardProps) {
  const content = (
    <>
      <Hint>{label}</Hint>
      <Group gap={6} className={needsAction ? classes['bad'] : undefined}>
        {needsAction && <TriangleAlert size={16} aria-label="Needs action" />}
        <span className={`tabular ${classes['value']}`}>{value}</span>
      </Group>
      {hint !== undefined && (
        <Text size="sm" c="dimmed" component="div">
          {hint}
        </Text>
      )}
    </>
  );
  if (to === undefined) {
    return (
      <Paper p="md" className={classes['card'] ?? ''}>
        {content}
      </Paper>
    );
  }
  return (
    <Paper
      p="md"
      className={classes['card'] ?? ''}
      renderRoot={(props) => <PathLink to={to} {...(search && { search })} {...props} />}
    >
      {content}
    </Paper>
  );
}
