import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { resendVerification } from '../../api/identity.ts';
import { meQuery } from '../../api/me.ts';
import { toProblem } from '../../api/problem.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { Hint } from '../../components/Texts.tsx';
import { MailCheck } from '../../icons/icons.gen.ts';
import { useMe } from '../../shell/SignedIn.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { CheckoutScreen } from './CheckoutScreen.tsx';
import { ChoosePlanScreen } from './ChoosePlanScreen.tsx';
import { NewTenantScreen } from './NewTenantScreen.tsx';
import { welcomeSearch } from './search.ts';

/** The way to a tenant: plan, name, payment, and the progress of the provisioning. The URL says which step is open. */
export default function WelcomeScreen(): ReactNode {
  const { user } = useMe();
  const [search] = useFilters(welcomeSearch);
  if (user !== undefined && user.email_verified_at === null) return <VerifyEmailScreen email={user.email} />;
  if (search.onboarding !== undefined) {
    return <CheckoutScreen key={search.onboarding} id={search.onboarding} isCanceled={search.canceled === true} />;
  }
  if (search.plan !== undefined) return <NewTenantScreen planCode={search.plan} />;
  return <ChoosePlanScreen />;
}

const pollMs = 4_000;

/** Asks for the verification of the address before a tenant is created. The page continues when the link was opened. */
function VerifyEmailScreen({ email }: { readonly email: string }) {
  useQuery({ ...meQuery('tenant'), staleTime: 0, refetchInterval: pollMs });
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: () => resendVerification() });
  return (
    <Page title="Verify your address" description="Verify your email address before you create a tenant.">
      <Paper p="lg" maw={560}>
        <Stack gap="md" align="flex-start">
          <Group gap="sm" wrap="nowrap" align="flex-start">
            <MailCheck size={20} aria-hidden="true" style={{ flexShrink: 0 }} />
            <Text>
              We sent a link to <b style={{ overflowWrap: 'anywhere' }}>{email}</b>. Open the link, and this page
              continues with the plans. The link may take a minute; look into the folder for spam too.
            </Text>
          </Group>
          {error !== null && <ErrorState problem={toProblem(error)} />}
          <Group gap="sm">
            <Button variant="default" onClick={() => mutate()} loading={isPending}>
              Send again
            </Button>
            <Hint role="status">{isSuccess && 'We sent a new link. The previous link no longer works.'}</Hint>
          </Group>
        </Stack>
      </Paper>
    </Page>
  );
}
