import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { BillingInterval, PublicPlan } from '../../api/onboarding.ts';
import { Hint } from '../../components/Texts.tsx';
import { Check } from '../../icons/icons.gen.ts';
import { formatMoney } from '../../lib/text.ts';
import classes from './PlanCard.module.css';
import { isFreePlan, limitTexts, nearestPriceOf, trialText } from './plan-terms.ts';

interface PlanCardProps {
  readonly plan: PublicPlan;
  readonly interval: BillingInterval;
  readonly currency: string | undefined;
  /** Gets the currency of the shown price; undefined for a free plan. */
  readonly onChoose: (currency: string | undefined) => void;
}

/** A plan with its price, its limits and its features, and the button that chooses it. */
export function PlanCard({ plan, interval, currency, onChoose }: PlanCardProps) {
  const price = nearestPriceOf(plan, interval, currency);
  const isFree = isFreePlan(plan);
  return (
    <Paper component="article" p="lg" className={classes['card'] ?? ''} aria-label={plan.name}>
      <Stack gap="md" style={{ flex: 1 }}>
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Title order={2}>{plan.name}</Title>
          {price !== undefined && price.trial_days > 0 && (
            <Badge color="teal" c="light-dark(#2c303a, var(--mantine-color-dark-0))" style={{ flexShrink: 0 }}>
              {trialText(price.trial_days)}
            </Badge>
          )}
        </Group>
        <Price isFree={isFree} price={price} interval={interval} currency={currency} />
        <Button
          variant={isFree ? 'default' : 'filled'}
          onClick={() => onChoose(price?.currency)}
          disabled={!isFree && price === undefined}
        >
          Choose {plan.name}
        </Button>
        <ul className={classes['list']}>
          {[...plan.features, ...limitTexts(plan.limits)].map((text) => (
            <li key={text}>
              <Check size={15} aria-hidden="true" />
              <Text>{text}</Text>
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  );
}

interface PriceProps {
  readonly isFree: boolean;
  readonly price: PublicPlan['prices'][number] | undefined;
  readonly interval: BillingInterval;
  readonly currency: string | undefined;
}

/** The price by the month in large figures; both lines are always there, so that the cards stay aligned. */
function Price({ isFree, price, interval, currency }: PriceProps) {
  if (isFree || price === undefined) {
    return (
      <Stack gap={2}>
        <Text size="xl" fw={600} className="tabular">
          {isFree ? formatMoney(0, currency ?? 'usd').replace(/[.,]0+(?=\D*$)/, '') : '—'}
        </Text>
        <Hint>{isFree ? 'No card needed, for as long as you like' : `Not available per ${interval}`}</Hint>
      </Stack>
    );
  }
  const perMonth = interval === 'year' ? Math.round(price.amount / 12) : price.amount;
  return (
    <Stack gap={2}>
      <Text size="xl" fw={600} className="tabular">
        {formatMoney(perMonth, price.currency)}{' '}
        <Text span size="sm" c="dimmed" fw={400}>
          per month
        </Text>
      </Text>
      <Hint className="tabular">
        {interval === 'year' ? `${formatMoney(price.amount, price.currency)} billed yearly` : 'Billed monthly'}, plus
        tax where it applies
      </Hint>
    </Stack>
  );
}
