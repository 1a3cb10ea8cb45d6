import { Alert, Button, Group, Paper, Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type BillingOverview, billingQuery, type PlanUsage, type Subscription } from '../../api/billing.ts';
import { isTestTenant, meQuery } from '../../api/me.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { AlertText, Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { Lock } from '../../icons/icons.gen.ts';
import { formatNumber } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allowsReading, type Surface } from '../../surfaces.ts';
import { InvoiceLines } from '../invoices/InvoiceLines.tsx';
import { InvoicesSection } from '../invoices/InvoicesSection.tsx';
import { previewTotals } from '../invoices/totals.ts';
import { limitNames } from '../plans/plan-terms.ts';
import { PastDueAlert, TrialAlert } from './BillingAlerts.tsx';
import { ChangePlanPanel } from './ChangePlanPanel.tsx';
import { DetailsPanel, DetailsSection } from './DetailsSection.tsx';
import { PlanSection } from './PlanSection.tsx';
import { billingSearch } from './search.ts';

/** A tenant's plan, its use, its payments and its invoices; only owners read them. */
export default function BillingScreen(): ReactNode {
  const surface = useSurface();
  if (!allowsReading(surface, 'billing')) {
    return (
      <Page title="Billing">
        <Paper>
          <EmptyState
            icon={Lock}
            title="Only owners can see billing"
            description="Ask an owner of this tenant to change the plan, or to make you an owner under Members."
          />
        </Paper>
      </Page>
    );
  }
  return <OwnersBilling surface={surface} />;
}

const paymentPollMs = 2_000;
const paymentPollsMax = 30;

function OwnersBilling({ surface }: { readonly surface: Surface }) {
  const [search, change] = useFilters(billingSearch);
  const { data: me } = useQuery(meQuery(surface.area));
  // Until the person is known, nothing is offered that a test tenant refuses.
  const isTest = me === undefined || isTestTenant(me, surface.tenantId);
  const awaitsPayment = search.checkout === 'complete';
  const { data, error, refetch } = useQuery({
    ...billingQuery(surface),
    // The payment was made on the provider's page, and its event arrives a moment later.
    refetchInterval: ({ state }) =>
      awaitsPayment && state.data?.subscription === null && state.dataUpdateCount < paymentPollsMax && paymentPollMs,
  });
  return (
    <Page
      title="Billing"
      actions={
        !isTest && (
          <Button onClick={() => void change({ panel: 'plan', plan: undefined })} disabled={data === undefined}>
            Change plan
          </Button>
        )
      }
    >
      {data === undefined && <QueryPlaceholder error={error} refetch={refetch} skeleton={<BillingSkeleton />} />}
      {data !== undefined && (
        <Stack gap="md">
          <ReturnNotice checkout={search.checkout} overview={data} />
          <PastDueAlert pastDue={data.past_due} subscription={data.subscription} />
          <TrialAlert overview={data} surface={surface} />
          <PlanSection overview={data} surface={surface} isTest={isTest} />
          <UsageSection usage={data.usage} />
          <NextInvoiceSection overview={data} />
          {!isTest && (
            <>
              <DetailsSection details={data.details} surface={surface} />
              <InvoicesSection surface={surface} />
              <ChangePlanPanel overview={data} surface={surface} />
              <DetailsPanel details={data.details} surface={surface} />
            </>
          )}
        </Stack>
      )}
    </Page>
  );
}

function BillingSkeleton() {
  return (
    <Stack gap="md" aria-busy="true">
      <Skeleton h={150} />
      <Skeleton h={220} />
      <Skeleton h={120} />
    </Stack>
  );
}

interface ReturnNoticeProps {
  readonly checkout: 'complete' | 'canceled' | undefined;
  readonly overview: BillingOverview;
}

/** What happened on the payment page that the person comes back from. */
function ReturnNotice({ checkout, overview }: ReturnNoticeProps) {
  const [, change] = useFilters(billingSearch);
  if (checkout === undefined) return null;
  const isArriving = checkout === 'complete' && overview.subscription === null;
  const message =
    checkout === 'canceled'
      ? 'You left the payment page. You were not charged, and your plan has not changed.'
      : isArriving
        ? 'We are confirming your payment. Your plan changes in a moment, and this page refreshes automatically.'
        : `Thank you. You are now on the ${overview.plan.name} plan.`;
  return (
    <Alert
      role="status"
      color={checkout === 'canceled' ? 'gray' : isArriving ? 'blue' : 'teal'}
      withCloseButton
      closeButtonLabel="Close message"
      onClose={() => void change({ checkout: undefined }, { replace: true })}
    >
      <AlertText>{message}</AlertText>
    </Alert>
  );
}

/** What the next invoice contains; nothing for a tenant that pays nothing. */
function NextInvoiceSection({ overview }: { readonly overview: BillingOverview }) {
  const { next_invoice, subscription, provider_available } = overview;
  if (subscription === null) return null;
  if (next_invoice === null) {
    return (
      <Section title="Next invoice">
        <Text c="dimmed">
          {provider_available
            ? noInvoiceText(subscription)
            : 'The payment provider cannot be reached, so the next invoice is unknown. Reload this page in a minute.'}
        </Text>
      </Section>
    );
  }
  const { at, currency, lines } = next_invoice;
  return (
    <Section
      title="Next invoice"
      description={
        <>
          You are charged on <TimeText value={at} format="date" />, if nothing changes until then.
        </>
      }
    >
      <InvoiceLines
        caption="Lines of the next invoice"
        lines={lines}
        currency={currency}
        totals={previewTotals(next_invoice, 'Total')}
      />
    </Section>
  );
}

function noInvoiceText({ status, cancel_at_period_end, has_payment_method }: Subscription): string {
  return status === 'trialing' && !cancel_at_period_end && !has_payment_method
    ? 'There is no invoice after the trial, because there is no payment method.'
    : 'There are no further invoices.';
}

/** How much of each limit of the plan is used. */
function UsageSection({ usage }: { readonly usage: PlanUsage }) {
  return (
    <Section title="Plan usage" description="How much of each limit of your plan you use.">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="lg" verticalSpacing="md">
        {limitNames.map(({ name, label }) => (
          <Meter key={name} label={label} {...usage[name]} />
        ))}
      </SimpleGrid>
    </Section>
  );
}

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number | null;
}

const nearlyFull = 0.8;

function Meter({ label, used, limit }: MeterProps) {
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit);
  const isFull = limit !== null && used >= limit;
  const color = isFull ? 'red' : share >= nearlyFull ? 'yellow' : 'accent';
  const note = isFull ? ' · full' : share >= nearlyFull ? ' · nearly full' : '';
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text truncate>{label}</Text>
        <Hint className="tabular" style={{ whiteSpace: 'nowrap' }}>
          {formatNumber(used)} {limit === null ? '· unlimited' : `of ${formatNumber(limit)}${note}`}
        </Hint>
      </Group>
      <Progress.Root size={6}>
        <Progress.Section
          value={share * 100}
          color={color}
          aria-label={label}
          aria-valuetext={
            limit === null ? `${formatNumber(used)}, unlimited` : `${formatNumber(used)} of ${formatNumber(limit)}`
          }
        />
      </Progress.Root>
    </Stack>
  );
}
