import { Alert, Button, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { type BillingOverview, billingQuery } from '../../api/billing.ts';
import { toProblem } from '../../api/problem.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allowsReading, type Surface } from '../../surfaces.ts';
import { InvoicesSection } from '../invoices/InvoicesSection.tsx';
import { ChangePlanPanel } from './ChangePlanPanel.tsx';
import { DetailsPanel } from './DetailsPanel.tsx';
import { DetailsSection } from './DetailsSection.tsx';
import { NextInvoiceSection } from './NextInvoiceSection.tsx';
import { PastDueAlert } from './PastDueAlert.tsx';
import { PlanSection } from './PlanSection.tsx';
import { billingSearch } from './search.ts';
import { TrialAlert } from './TrialAlert.tsx';
import { UsageSection } from './UsageSection.tsx';

/** A tenant's plan, its use, its payments and its invoices; only owners read them. */
export function BillingScreen(): ReactNode {
  const surface = useSurface();
  if (!allowsReading(surface, 'billing')) {
    return (
      <Page title="Billing">
        <Paper>
          <EmptyState
            icon={Lock}
            title="Only owners see billing"
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
        <Button onClick={() => void change({ panel: 'plan', plan: undefined })} disabled={data === undefined}>
          Change plan
        </Button>
      }
    >
      {data === undefined && error !== null && <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <BillingSkeleton />}
      {data !== undefined && (
        <Stack gap="md">
          <ReturnNotice checkout={search.checkout} overview={data} />
          <PastDueAlert pastDue={data.past_due} subscription={data.subscription} />
          <TrialAlert overview={data} surface={surface} />
          <PlanSection overview={data} surface={surface} />
          <UsageSection usage={data.usage} />
          <NextInvoiceSection overview={data} />
          <DetailsSection details={data.details} surface={surface} />
          <InvoicesSection surface={surface} />
          <ChangePlanPanel overview={data} surface={surface} />
          <DetailsPanel details={data.details} surface={surface} />
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
      ? 'You left the payment page. Nothing was charged, and the plan is unchanged.'
      : isArriving
        ? 'Your payment is being confirmed. The plan changes in a moment; this page refreshes by itself.'
        : `Thank you. The plan is now ${overview.plan.name}.`;
  return (
    <Alert
      role="status"
      color={checkout === 'canceled' ? 'gray' : isArriving ? 'blue' : 'teal'}
      withCloseButton
      closeButtonLabel="Close the message"
      onClose={() => void change({ checkout: undefined }, { replace: true })}
    >
      <Text size="md" c="var(--mantine-color-text)">
        {message}
      </Text>
    </Alert>
  );
}
