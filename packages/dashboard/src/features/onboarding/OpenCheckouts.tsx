import { Button, Group, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type Checkout, cancelCheckout, checkoutKeys } from '../../api/onboarding.ts';
import { Section } from '../../components/Section.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { formatMoney, words } from '../../lib/text.ts';

/** Returns what a checkout costs: "$49.00 per month". */
function costOf({ amount, currency, interval }: Checkout): string {
  return currency === null || interval === null ? 'Free' : `${formatMoney(amount, currency)} per ${interval}`;
}

/** The checkouts that the person has begun and not finished. */
export function OpenCheckouts({ checkouts }: { readonly checkouts: readonly Checkout[] }) {
  return (
    <Section
      title="You have begun"
      description="Continue, or cancel what you no longer want. Nothing was charged for an unpaid checkout."
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
        <Text size="md" fw={500} truncate>
          {tenant_name}
        </Text>
        <Text size="sm" c="dimmed">
          {words(plan_code)} · {costOf(checkout)} · {status === 'pending' ? 'Not paid' : 'Being set up'}
        </Text>
      </Stack>
      <Group gap="xs">
        {status === 'pending' && (
          <Button
            variant="subtle"
            color="gray"
            loading={cancel.isPending}
            aria-label={`Cancel the checkout of ${tenant_name}`}
            onClick={() => cancel.mutate(undefined, { onError: showProblem })}
          >
            Cancel
          </Button>
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
