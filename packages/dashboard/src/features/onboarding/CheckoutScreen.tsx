import { Alert, Anchor, Button, Group, Loader, Paper, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { meQuery } from '../../api/me.ts';
import { type Checkout, cancelCheckout, checkoutKeys, checkoutQuery } from '../../api/onboarding.ts';
import { toProblem } from '../../api/problem.ts';
import { selectTenant } from '../../api/session.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { AlertText, Hint } from '../../components/Texts.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { Check, Circle, CircleAlert } from '../../icons/icons.gen.ts';
import { formatMoney, words } from '../../lib/text.ts';
import { trialText } from '../plans/plan-terms.ts';

interface CheckoutScreenProps {
  readonly id: string;
  /** The person left the payment page without paying. */
  readonly isCanceled: boolean;
}

/** A checkout from the payment to the ready tenant. It refreshes automatically, and survives a reload and a closed tab. */
export function CheckoutScreen({ id, isCanceled }: CheckoutScreenProps) {
  const { data: checkout, error, refetch } = useQuery(checkoutQuery(id));
  if (checkout === undefined) {
    return (
      <Page title="Your checkout">
        <Paper p="lg" maw={560}>
          {error === null ? (
            <Skeleton h={180} />
          ) : (
            <Stack gap="md" align="flex-start">
              <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
              <PlansLink />
            </Stack>
          )}
        </Paper>
      </Page>
    );
  }
  const { title, description, content } = viewOf(checkout, isCanceled);
  return (
    <Page title={title} description={description}>
      <Paper p="lg" maw={560}>
        <Stack gap="lg" align="stretch">
          {error !== null && (
            <Alert color="yellow" icon={<CircleAlert size={18} aria-hidden="true" />}>
              <AlertText>{toProblem(error).message} This page keeps trying.</AlertText>
            </Alert>
          )}
          {content}
        </Stack>
      </Paper>
    </Page>
  );
}

interface View {
  readonly title: string;
  readonly description: string;
  readonly content: ReactNode;
}

function viewOf(checkout: Checkout, isCanceled: boolean): View {
  const { status, tenant_name, error } = checkout;
  switch (status) {
    case 'pending':
      return isCanceled
        ? {
            title: checkout.trial_days > 0 ? 'The trial was not started' : 'The payment was not made',
            description: 'You left the payment page. You were not charged.',
            content: <Unpaid checkout={checkout} />,
          }
        : {
            title: checkout.trial_days > 0 ? 'Waiting for the start of your trial' : 'Waiting for your payment',
            description:
              'Complete the payment on the page of the payment provider. If you have already paid, this page continues automatically.',
            content: <Unpaid checkout={checkout} />,
          };
    case 'paid':
    case 'provisioning':
      return {
        title: `Setting up ${tenant_name}`,
        description: 'This takes a few seconds. You can close this page in the meantime.',
        content: <Progress checkout={checkout} />,
      };
    case 'completed':
      return {
        title: `${tenant_name} is ready`,
        description: 'Next, create a product, a policy and your first license. It takes about a minute.',
        content: <Ready checkout={checkout} />,
      };
    case 'expired':
      return {
        title: 'This checkout has expired',
        description: 'It was not paid in time. You were not charged.',
        content: <PlansLink />,
      };
    case 'canceled':
      return {
        title: 'This checkout was canceled',
        description: 'You were not charged. This checkout can no longer be paid.',
        content: <PlansLink />,
      };
    case 'failed':
      return {
        title: 'The tenant could not be created',
        description: error ?? 'The payment provider refused the checkout. You were not charged.',
        content: <PlansLink />,
      };
  }
}

function PlansLink() {
  return (
    <Button
      variant="default"
      style={{ alignSelf: 'flex-start' }}
      renderRoot={(props) => <Link to="/welcome" {...props} />}
    >
      See the plans
    </Button>
  );
}

function Unpaid({ checkout }: { readonly checkout: Checkout }) {
  const navigate = useNavigate();
  const { id, plan_code, amount, currency, interval, checkout_url, tenant_name, trial_days, error } = checkout;
  const cancel = useAction({ run: () => cancelCheckout(id), invalidates: checkoutKeys });
  const leave = () =>
    cancel.mutate(undefined, { onSuccess: () => void navigate({ to: '/welcome' }), onError: showProblem });
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Stack gap={0}>
          <Text fw={600}>{tenant_name}</Text>
          <Hint>{words(plan_code)}</Hint>
        </Stack>
        <Text className="tabular">
          {trial_days > 0 && `${trialText(trial_days)}, then `}
          {currency !== null && `${formatMoney(amount, currency)} per ${interval}`}
        </Text>
      </Group>
      {error !== null && <Text>{error}</Text>}
      <Group gap="xs">
        {checkout_url !== null && (
          <Button component="a" href={checkout_url}>
            {trial_days > 0 ? 'Continue to the trial' : 'Continue to payment'}
          </Button>
        )}
        <Button variant="default" onClick={leave} loading={cancel.isPending}>
          Cancel and choose another plan
        </Button>
      </Group>
    </>
  );
}

function Progress({ checkout }: { readonly checkout: Checkout }) {
  return (
    <>
      <CheckoutSteps checkout={checkout} />
      {checkout.error !== null && (
        <Alert color="yellow" role="alert" icon={<CircleAlert size={18} aria-hidden="true" />}>
          <AlertText>{checkout.error}</AlertText>
        </Alert>
      )}
    </>
  );
}

function Ready({ checkout }: { readonly checkout: Checkout }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { queryKey } = meQuery('tenant');
  useEffect(() => void client.invalidateQueries({ queryKey }), [client, queryKey]);
  const start = async () => {
    await client.refetchQueries({ queryKey });
    selectTenant(checkout.tenant_id);
    await navigate({ to: '/overview', search: { start: true } } as object);
  };
  return (
    <>
      <CheckoutSteps checkout={checkout} />
      <Button size="md" onClick={() => void start()} style={{ alignSelf: 'flex-start' }}>
        Create your first license
      </Button>
      <Hint>
        To see the invoice and the next payment, open{' '}
        <Anchor
          underline="always"
          renderRoot={(props) => <Link to="/billing" {...props} onClick={() => selectTenant(checkout.tenant_id)} />}
        >
          Billing
        </Anchor>
        .
      </Hint>
    </>
  );
}

type Step = Checkout['steps'][number];

const labels: Readonly<Record<Step['name'], string>> = {
  payment: 'Payment received',
  database: 'Storage created',
  migrations: 'Storage prepared',
  signing_key: 'Signing key created',
  tenant: 'Tenant created with you as its owner',
  subscription: 'Subscription started',
  welcome: 'Welcome mail sent',
};

/** The steps of the provisioning in their order: done, in progress, or waiting. */
function CheckoutSteps({ checkout }: { readonly checkout: Checkout }) {
  const { steps, trial_days } = checkout;
  const labelOf = (name: Step['name']) => (name === 'payment' && trial_days > 0 ? 'Trial started' : labels[name]);
  const current = steps.find(({ done_at }) => done_at === null);
  return (
    <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Progress">
      {steps.map((step) => (
        <StepLine key={step.name} label={labelOf(step.name)} state={stateOf(step, current)} />
      ))}
    </Stack>
  );
}

type State = 'Done' | 'In progress' | 'Waiting';

function stateOf(step: Step, current: Step | undefined): State {
  if (step.done_at !== null) return 'Done';
  return step === current ? 'In progress' : 'Waiting';
}

function StepLine({ label, state }: { readonly label: string; readonly state: State }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" {...(state === 'In progress' && { 'aria-current': 'step' as const })}>
      <ThemeIcon size={22} radius="xl" variant="light" color={state === 'Done' ? 'teal' : 'gray'}>
        {state === 'Done' && <Check size={14} aria-hidden="true" />}
        {state === 'In progress' && <Loader size={12} aria-hidden="true" />}
        {state === 'Waiting' && <Circle size={8} aria-hidden="true" />}
      </ThemeIcon>
      <Text size="md" {...(state === 'Waiting' && { c: 'dimmed' })}>
        {label}
        <span className="visually-hidden">: {state}</span>
      </Text>
    </Group>
  );
}
