import { Button, Group, Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate } from '@tanstack/react-router';
import {
  type Checkout,
  cancelCheckout,
  checkoutKeys,
  openCheckoutsQuery,
  ownPlansQuery,
} from '../../api/onboarding.ts';
import { toProblem } from '../../api/problem.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatMoney, words } from '../../lib/text.ts';
import { useMe } from '../../shell/SignedIn.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { PlanCard } from '../plans/PlanCard.tsx';
import { bestSaving, currenciesOf } from '../plans/plan-terms.ts';
import { TermControls } from '../plans/TermControls.tsx';
import { welcomeSearch } from './search.ts';

/** The plans, and the checkouts that the person has begun. */
export function ChoosePlanScreen() {
  const { tenants } = useMe();
  const [search, change] = useFilters(welcomeSearch);
  const plans = useQuery(ownPlansQuery);
  const open = useQuery(openCheckoutsQuery);
  const running = open.data?.find(({ status }) => status === 'paid' || status === 'provisioning');
  // The tab was closed after the payment: the person waits for the tenant.
  if (running !== undefined && tenants.length === 0) {
    return <Navigate to="/welcome" search={{ onboarding: running.id }} replace />;
  }
  const currencies = currenciesOf(plans.data ?? []);
  const currency = search.currency ?? currencies[0];
  const interval = search.interval ?? 'month';
  const paid = (plans.data ?? []).filter(({ prices }) => prices.length > 0);
  return (
    <Page
      title="Choose a plan"
      description="Each tenant has its own database, keys and members. You can change its plan at any time."
    >
      <Stack gap="lg">
        {open.data !== undefined && open.data.length > 0 && <OpenCheckouts checkouts={open.data} />}
        {plans.error !== null && plans.data === undefined && (
          <ErrorState problem={toProblem(plans.error)} onRetry={() => void plans.refetch()} />
        )}
        {paid.length > 0 && (
          <TermControls
            interval={interval}
            onInterval={(value) => void change({ interval: value }, { replace: true })}
            savingPercent={bestSaving(paid, currency)}
            currencies={currencies}
            currency={currency}
            onCurrency={(value) => void change({ currency: value }, { replace: true })}
          />
        )}
        {plans.data?.length === 0 && (
          <Paper>
            <EmptyState
              title="No plans are available"
              description="Ask the operator of this service to create a tenant for you."
            />
          </Paper>
        )}
        <SimpleGrid
          cols={{ base: 1, sm: 2, lg: (plans.data?.length ?? 0) > 3 ? 4 : 3 }}
          spacing="md"
          aria-busy={plans.data === undefined}
        >
          {plans.data === undefined && plans.error === null
            ? [1, 2, 3].map((index) => <Skeleton key={index} h={380} radius="md" />)
            : plans.data?.map((plan) => (
                <PlanCard
                  key={plan.id}
                  plan={plan}
                  interval={interval}
                  currency={currency}
                  onChoose={(chosen) => void change({ plan: plan.code, interval, currency: chosen ?? currency })}
                />
              ))}
        </SimpleGrid>
      </Stack>
    </Page>
  );
}

/** Returns what a checkout costs: "$49.00 per month"; nothing for the free plan. */
function costOf({ amount, currency, interval }: Checkout): string[] {
  return currency === null || interval === null ? [] : [`${formatMoney(amount, currency)} per ${interval}`];
}

/** The checkouts that the person has begun and not finished. */
function OpenCheckouts({ checkouts }: { readonly checkouts: readonly Checkout[] }) {
  return (
    <Section
      title="Unfinished checkouts"
      description="Continue a checkout, or cancel it. You are not charged for an unpaid checkout."
    >
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {checkouts.map((checkout) => (
          <OpenCheckout key={checkout.id} checkout={checkout} />
        ))}
      </Stack>
    </Section>
  );
}

function OpenCheckout({ checkout }: { readonly checkout: Checkout }) {
  const navigate = useNavigate();
  const { id, tenant_name, plan_code, status } = checkout;
  const cancel = useAction({ run: () => cancelCheckout(id), invalidates: checkoutKeys });
  return (
    <Group component="li" justify="space-between" gap="sm">
      <Stack gap={0} style={{ flex: '1 1 200px', minWidth: 0 }}>
        <Text fw={500} truncate>
          {tenant_name}
        </Text>
        <Hint>
          {[words(plan_code), ...costOf(checkout)].join(' · ')} · {status === 'pending' ? 'Not paid' : 'Being set up'}
        </Hint>
      </Stack>
      <Group gap="xs">
        {status === 'pending' && (
          <RunButton action={cancel} variant="subtle" color="gray" aria-label={`Cancel the checkout of ${tenant_name}`}>
            Cancel
          </RunButton>
        )}
        <Button
          variant="default"
          aria-label={`Continue with ${tenant_name}`}
          onClick={() => void navigate({ to: '/welcome', search: { onboarding: id } })}
        >
          Continue
        </Button>
      </Group>
    </Group>
  );
}
