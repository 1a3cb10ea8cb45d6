import { Group, Loader, Stack, Text, ThemeIcon } from '@mantine/core';
import { Check, Circle } from 'lucide-react';
import type { Checkout } from '../../api/onboarding.ts';

type Step = Checkout['steps'][number];

const labels: Readonly<Record<Step['name'], string>> = {
  payment: 'Payment received',
  database: 'Own database created',
  migrations: 'Tables prepared',
  signing_key: 'Signing key created',
  tenant: 'Tenant created, with you as owner',
  subscription: 'Subscription connected',
  welcome: 'Welcome mail sent',
};

/** The steps of the provisioning in their order: done, in progress, or waiting. */
export function CheckoutSteps({ checkout }: { readonly checkout: Checkout }) {
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
