import { Anchor, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ownPlansQuery, type PublicPlan, startCheckout } from '../../api/onboarding.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryPlaceholder } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Hint } from '../../components/Texts.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { formatMoney } from '../../lib/text.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { currenciesOf, isFreePlan, priceOf, priceText, trialText } from '../plans/plan-terms.ts';
import { welcomeSearch } from './search.ts';

/** Asks for the tenant's name, and shows the price before the payment. */
export function NewTenantScreen({ planCode }: { readonly planCode: string }) {
  const { data: plans, error, refetch } = useQuery(ownPlansQuery);
  const plan = plans?.find(({ code }) => code === planCode);
  return (
    <Page
      title="Name your tenant"
      description="Use the name of your company or product. Your customers see it in mails, in the portal and on the page after a purchase. You can change it later."
    >
      <Paper p="lg" maw={560}>
        {plans === undefined && <QueryPlaceholder error={error} refetch={refetch} skeleton={200} />}
        {plans !== undefined && plan === undefined && (
          <EmptyState
            title="This plan is no longer available"
            description="Choose another plan to continue."
            action={<Anchor renderRoot={(props) => <Link to="/welcome" {...props} />}>See the plans</Anchor>}
          />
        )}
        {plan !== undefined && <NewTenantForm plan={plan} plans={plans ?? []} />}
      </Paper>
    </Page>
  );
}

interface NewTenantFormProps {
  readonly plan: PublicPlan;
  readonly plans: readonly PublicPlan[];
}

function NewTenantForm({ plan, plans }: NewTenantFormProps) {
  const [search] = useFilters(welcomeSearch);
  const navigate = useNavigate();
  const isFree = isFreePlan(plan);
  const currency = search.currency ?? currenciesOf(plans)[0];
  const price = priceOf(plan, search.interval ?? 'month', currency) ?? plan.prices[0];
  const trialDays = price?.trial_days ?? 0;
  const terms = price === undefined ? {} : { interval: price.interval, currency: price.currency };
  const resource = useResourceForm({
    initialValues: { tenant_name: '' },
    validate: { tenant_name: (value) => (value.trim() === '' ? 'Enter a name.' : null) },
    submit: ({ tenant_name }, key) =>
      startCheckout({ plan_code: plan.code, tenant_name: tenant_name.trim(), ...(!isFree && terms) }, key),
    onSaved: async (checkout) => {
      // Back from the payment page then shows the checkout, not this form.
      await navigate({ to: '/welcome', search: { onboarding: checkout.id }, replace: true });
      if (checkout.checkout_url !== null) window.location.assign(checkout.checkout_url);
    },
  });
  return (
    <ResourceFormBody
      resource={resource}
      submitLabel={isFree ? 'Create tenant' : trialDays > 0 ? 'Continue to the trial' : 'Continue to payment'}
    >
      <TextInput
        label="Public name"
        required
        maxLength={100}
        autoComplete="organization"
        data-autofocus
        {...resource.form.getInputProps('tenant_name')}
      />
      <Paper p="md" bg="var(--mantine-color-default-hover)">
        <Stack gap={4}>
          <Group justify="space-between" gap="xs">
            <Text fw={600}>{plan.name}</Text>
            <Text className="tabular">{price !== undefined && !isFree && priceText(price)}</Text>
          </Group>
          <Hint>
            {isFree || price === undefined
              ? 'Your tenant is ready immediately. You do not need a card.'
              : chargeText(price)}
          </Hint>
          <Anchor size="sm" renderRoot={(props) => <Link to="/welcome" search={{ ...terms }} {...props} />}>
            Choose another plan
          </Anchor>
        </Stack>
      </Paper>
    </ResourceFormBody>
  );
}

/** Returns the price and its date. */
function chargeText({ amount, currency, interval, trial_days }: PublicPlan['prices'][number]): string {
  const money = formatMoney(amount, currency);
  return trial_days > 0
    ? `Your subscription starts with ${trialText(trial_days)}. You do not need a card. After the trial, the plan costs ${money} per ${interval}, plus tax where it applies. You can cancel at any time.`
    : `You pay ${money} on the next page, plus tax where it applies, and then every ${interval}. You can cancel at any time. The plan then ends with the paid period.`;
}
