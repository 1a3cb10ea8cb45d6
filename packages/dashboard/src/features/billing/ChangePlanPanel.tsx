import { Drawer, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { BillingOverview } from '../../api/billing.ts';
import { type PublicPlan, plansQuery } from '../../api/onboarding.ts';
import { toProblem } from '../../api/problem.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import type { Surface } from '../../surfaces.ts';
import { bestSaving, currenciesOf, isFreePlan, limitTexts, priceOf, priceText } from '../plans/plan-terms.ts';
import { TermControls } from '../plans/TermControls.tsx';
import { PlanChangePreview } from './PlanChangePreview.tsx';
import { billingSearch } from './search.ts';

interface ChangePlanPanelProps {
  readonly overview: BillingOverview;
  readonly surface: Surface;
}

/** The choice of another plan, with its price before the person confirms it. */
export function ChangePlanPanel({ overview, surface }: ChangePlanPanelProps) {
  const [{ panel }, change] = useFilters(billingSearch);
  return (
    <Drawer
      opened={panel === 'plan'}
      onClose={() => void change({ panel: undefined, plan: undefined, interval: undefined, currency: undefined })}
      title={
        <Text fw={600} size="lg">
          Change plan
        </Text>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {panel === 'plan' && <PlanChoice overview={overview} surface={surface} />}
    </Drawer>
  );
}

function PlanChoice({ overview, surface }: ChangePlanPanelProps) {
  const { subscription } = overview;
  const [search, change] = useFilters(billingSearch);
  const { data: plans, error, refetch } = useQuery(plansQuery);
  if (plans === undefined) {
    return error === null ? (
      <Skeleton h={320} />
    ) : (
      <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
    );
  }
  const paid = plans.filter(({ prices }) => prices.length > 0);
  // A subscription keeps its currency.
  const currencies = subscription === null ? currenciesOf(paid) : [subscription.currency];
  const currency = subscription?.currency ?? search.currency ?? currencies[0];
  const interval = search.interval ?? subscription?.interval ?? 'month';
  const sold = plans.filter((plan) => isFreePlan(plan) || priceOf(plan, interval, currency) !== undefined);
  const wanted = sold.find(({ code }) => code === search.plan);
  return (
    <Stack gap="md">
      {paid.length === 0 ? (
        <Text size="md" c="dimmed">
          This service sells no other plan. Ask its operator if you need higher limits.
        </Text>
      ) : (
        <TermControls
          interval={interval}
          onInterval={(value) => void change({ interval: value }, { replace: true })}
          savingPercent={bestSaving(paid, currency)}
          currencies={currencies}
          currency={currency}
          onCurrency={(value) => void change({ currency: value }, { replace: true })}
        />
      )}
      <Radio.Group
        aria-label="Plan"
        value={wanted?.code ?? null}
        onChange={(code) => void change({ plan: code, interval }, { replace: true })}
      >
        <Stack gap="xs">
          {sold.map((plan) => (
            <PlanOption
              key={plan.id}
              plan={plan}
              price={priceOf(plan, interval, currency)}
              isCurrent={
                plan.code === overview.plan.code && (subscription === null || subscription.interval === interval)
              }
            />
          ))}
        </Stack>
      </Radio.Group>
      {wanted !== undefined && (
        <PlanChangePreview
          key={`${wanted.code} ${interval} ${currency}`}
          surface={surface}
          plan={wanted}
          isOverdue={overview.past_due !== null}
          wanted={
            isFreePlan(wanted) || currency === undefined
              ? { plan_code: wanted.code }
              : { plan_code: wanted.code, interval, currency }
          }
        />
      )}
    </Stack>
  );
}

interface PlanOptionProps {
  readonly plan: PublicPlan;
  readonly price: PublicPlan['prices'][number] | undefined;
  readonly isCurrent: boolean;
}

function PlanOption({ plan, price, isCurrent }: PlanOptionProps) {
  return (
    <Radio.Card value={plan.code} p="md" radius="md" aria-label={plan.name}>
      <div style={{ display: 'flex', gap: 12 }}>
        <Radio.Indicator mt={2} />
        <Stack gap={2} style={{ flex: 1, minWidth: 0 }}>
          <Text size="md" fw={600} style={{ display: 'flex', justifyContent: 'space-between', gap: 8 }}>
            <span>
              {plan.name}
              {isCurrent && (
                <Text span size="sm" c="dimmed" fw={400}>
                  {' '}
                  · current plan
                </Text>
              )}
            </span>
            <span className="tabular">{price === undefined ? 'Free' : priceText(price)}</span>
          </Text>
          <Text size="sm" c="dimmed">
            {limitTexts(plan.limits).slice(0, 4).join(' · ')}
          </Text>
        </Stack>
      </div>
    </Radio.Card>
  );
}
