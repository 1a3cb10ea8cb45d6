import { Button, Group, Paper, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type BillingOverview,
  billingKey,
  changePlan,
  type PlanPreview,
  planPreviewQuery,
  type WantedPlan,
} from '../../api/billing.ts';
import { type PublicPlan, plansQuery } from '../../api/onboarding.ts';
import { type Problem, toProblem } from '../../api/problem.ts';
import { ErrorState, QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useAction } from '../../components/use-action.ts';
import { formatMoney } from '../../lib/text.ts';
import { formatDate } from '../../lib/time.ts';
import { useFilters } from '../../shell/use-filters.ts';
import type { Surface } from '../../surfaces.ts';
import { InvoiceLines } from '../invoices/InvoiceLines.tsx';
import { previewTotals } from '../invoices/totals.ts';
import {
  bestSaving,
  currenciesOf,
  isFreePlan,
  limitTexts,
  priceOf,
  priceText,
  trialText,
} from '../plans/plan-terms.ts';
import { TermControls } from '../plans/TermControls.tsx';
import { billingSearch } from './search.ts';

interface ChangePlanPanelProps {
  readonly overview: BillingOverview;
  readonly surface: Surface;
}

/** The choice of another plan, with its price before the person confirms it. */
export function ChangePlanPanel({ overview, surface }: ChangePlanPanelProps) {
  const [{ panel }, change] = useFilters(billingSearch);
  return (
    <Panel
      title="Change plan"
      isOpen={panel === 'plan'}
      onClose={() => void change({ panel: undefined, plan: undefined, interval: undefined, currency: undefined })}
    >
      {panel === 'plan' && <PlanChoice overview={overview} surface={surface} />}
    </Panel>
  );
}

function PlanChoice({ overview, surface }: ChangePlanPanelProps) {
  const { subscription } = overview;
  const [search, change] = useFilters(billingSearch);
  const { data: plans, error, refetch } = useQuery(plansQuery);
  if (plans === undefined) {
    return <QueryPlaceholder error={error} refetch={refetch} skeleton={320} />;
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
        <Text c="dimmed">There are no other plans. Ask the operator of this service if you need higher limits.</Text>
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
          trialEndsAt={subscription?.status === 'trialing' ? subscription.trial_ends_at : null}
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
          <Text fw={600} style={{ display: 'flex', justifyContent: 'space-between', gap: 8 }}>
            <span>
              {plan.name}
              {isCurrent && (
                <Text span size="sm" c="dimmed" fw={400}>
                  {' '}
                  · current plan
                </Text>
              )}
            </span>
            <span className="tabular">{price !== undefined && priceText(price)}</span>
          </Text>
          <Hint>{limitTexts(plan.limits).slice(0, 4).join(' · ')}</Hint>
        </Stack>
      </div>
    </Radio.Card>
  );
}

interface PlanChangePreviewProps {
  readonly surface: Surface;
  readonly plan: PublicPlan;
  readonly wanted: WantedPlan;
  /** A payment is overdue: the service refuses every change except the end of the subscription. */
  readonly isOverdue: boolean;
  /** When the present trial ends; null without one. */
  readonly trialEndsAt: string | null;
}

/** What the change costs and when it takes effect, with the button that confirms it. */
function PlanChangePreview({ surface, plan, wanted, isOverdue, trialEndsAt }: PlanChangePreviewProps) {
  const [, change] = useFilters(billingSearch);
  const { data: preview, error, refetch } = useQuery(planPreviewQuery(surface, wanted));
  const [problem, setProblem] = useState<Problem | null>(null);
  const { mutate, isPending } = useAction({
    run: () => changePlan(surface, wanted),
    invalidates: [billingKey(surface)],
  });
  if (preview === undefined) {
    return <QueryPlaceholder error={error} refetch={refetch} skeleton={160} />;
  }
  const isRefused = isOverdue && preview.interval !== null && preview.takes_effect !== 'unchanged';
  const confirm = () =>
    mutate(undefined, {
      onSuccess: ({ checkout_url }) => {
        if (checkout_url !== null) window.location.assign(checkout_url);
        else void change({ panel: undefined, plan: undefined, interval: undefined, currency: undefined });
      },
      onError: (failure) => setProblem(toProblem(failure)),
    });
  return (
    <Paper component="section" p="md" aria-label="Your change">
      <Stack gap="md">
        <Text>{effectOf(preview, plan, trialEndsAt)}</Text>
        {preview.lines.length > 0 && preview.currency !== null && (
          <InvoiceLines
            caption="Lines of the change"
            lines={preview.lines}
            currency={preview.currency}
            totals={previewTotals(preview, totalLabel(preview))}
          />
        )}
        {problem !== null && <ErrorState problem={problem} />}
        {problem?.code === 'BILLING.PAYMENT_FAILED' && (
          <Text>Your plan has not changed. Choose another card under “Manage payment method”, then try again.</Text>
        )}
        {isRefused && <Text>A payment is overdue. Pay the open invoice, then change the plan.</Text>}
        {preview.takes_effect !== 'unchanged' && !isRefused && (
          <Group justify="flex-end">
            <Button onClick={confirm} loading={isPending}>
              {confirmLabel(preview, plan)}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function totalLabel({ takes_effect, takes_effect_at }: PlanPreview): string {
  return takes_effect === 'period_end' ? `Due on ${formatDate(takes_effect_at)}` : 'Due now';
}

function effectOf(
  { takes_effect, takes_effect_at, interval, trial_days }: PlanPreview,
  plan: PublicPlan,
  trialEndsAt: string | null,
): string {
  const on = formatDate(takes_effect_at);
  switch (takes_effect) {
    case 'unchanged':
      return `This is your current plan. Nothing changes.`;
    case 'checkout':
      return trial_days > 0
        ? `${plan.name} starts with ${trialText(trial_days)}. Enter your address on the next page. You need a card only to keep the plan after the trial.`
        : `Enter your card on the next page. ${plan.name} starts when you have paid, and renews every ${interval}.`;
    case 'now':
      return trialEndsAt !== null
        ? `${plan.name} starts immediately. Your trial goes on, and you pay nothing before it ends on ${formatDate(trialEndsAt)}.`
        : `${plan.name} starts immediately. We charge the difference for the rest of the period to your card on file.`;
    case 'period_end':
      return interval === null
        ? `Your subscription ends on ${on}. You keep your current plan until then, and move to ${plan.name} afterwards.`
        : trialEndsAt !== null
          ? `You keep your current plan until your trial ends on ${on}. ${plan.name} starts after that.`
          : `You keep your current plan, which is paid until ${on}. ${plan.name} starts after that.`;
  }
}

function confirmLabel(preview: PlanPreview, plan: PublicPlan): string {
  const { takes_effect, amount_due, currency, takes_effect_at, trial_days } = preview;
  if (takes_effect === 'checkout') return trial_days > 0 ? 'Continue to the trial' : 'Continue to payment';
  if (takes_effect === 'period_end') return `Change to ${plan.name} on ${formatDate(takes_effect_at)}`;
  return currency === null || amount_due === 0
    ? `Change to ${plan.name}`
    : `Pay ${formatMoney(amount_due, currency)} and change to ${plan.name}`;
}
