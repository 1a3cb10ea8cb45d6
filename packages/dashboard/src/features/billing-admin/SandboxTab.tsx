import { Alert, Button, Group, NumberInput, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { advanceSandboxClock, commerceKey, sandboxClockQuery } from '../../api/commerce.ts';
import { toProblem } from '../../api/problem.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { Hint } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';

const daySeconds = 86_400;

/** The clock of the payment sandbox, which can be advanced to rehearse renewals and failed payments. */
export function SandboxTab({ mayWrite }: { readonly mayWrite: boolean }) {
  const { data, error, refetch } = useQuery(sandboxClockQuery);
  if (data === undefined && error === null) return <Skeleton h={160} />;
  if (data === undefined) {
    const problem = toProblem(error);
    if (problem.code !== 'RESOURCE.NOT_FOUND') return <ErrorState problem={problem} onRetry={() => void refetch()} />;
    return (
      <Paper>
        <EmptyState
          title="This service has no payment sandbox"
          description="With PAYMENT_PROVIDER=sandbox, payments are simulated, and the clock can be advanced to rehearse renewals."
        />
      </Paper>
    );
  }
  return (
    <Section
      title="Clock"
      description="When you advance the clock, the renewals, retries and expiries that become due happen in order. The clock affects payments only."
    >
      <Facts cols={2} items={[{ label: 'Sandbox time', value: <TimeText value={data.now} /> }]} />
      {mayWrite ? <ClockForm /> : <Hint>You need the role billing admin or super admin to advance the clock.</Hint>}
    </Section>
  );
}

function ClockForm() {
  const [days, setDays] = useState<number | string>(1);
  const { mutate, isPending } = useAction({
    run: () => advanceSandboxClock({ advance_seconds: Number(days) * daySeconds }),
    invalidates: [commerceKey],
  });
  return (
    <Stack gap="sm" maw={560}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate(undefined, { onError: showProblem });
        }}
      >
        <Group gap="xs" align="flex-end">
          <NumberInput label="Days" min={1} max={732} allowDecimal={false} value={days} onChange={setDays} w={120} />
          <Button type="submit" variant="default" loading={isPending} disabled={days === ''}>
            Advance clock
          </Button>
        </Group>
      </form>
      <Alert color="gray">
        <Text size="sm" c="var(--mantine-color-text)">
          You cannot turn the clock back.
        </Text>
      </Alert>
    </Stack>
  );
}
