import { Alert, Button, Stack, Text, ThemeIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { signUpQuery } from '../../api/identity.ts';
import { Hint } from '../../components/Texts.tsx';
import { MailCheck, Unlink } from '../../icons/icons.gen.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';

interface CheckMailProps {
  readonly email: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

/** Says that the next step is in a mail. */
export function CheckMail({ email, children, actions }: CheckMailProps) {
  const { data: signUp } = useQuery(signUpQuery());
  return (
    <Stack gap="md" align="flex-start">
      <ThemeIcon variant="light" size={44} radius="md">
        <MailCheck size={22} aria-hidden="true" />
      </ThemeIcon>
      <div role="status">
        <Text>
          {children} The mail goes to <b style={{ overflowWrap: 'anywhere' }}>{email}</b>.
        </Text>
        <Hint mt="xs">
          {signUp?.sends_mail === false ? (
            <>
              This installation has no mail server. Its operator can find the mail in the <code>mail</code> folder of
              the data directory.
            </>
          ) : (
            'If the mail does not arrive within a minute, check your spam folder and the address.'
          )}
        </Hint>
      </div>
      {actions}
    </Stack>
  );
}

/** Says that a mailed link no longer works, and what to do. */
export function InvalidLink({ children }: { readonly children: ReactNode }) {
  return (
    <Alert role="alert" color="yellow" icon={<Unlink size={18} aria-hidden="true" />} p="md">
      <Text c="var(--mantine-color-text)" component="div">
        {children}
      </Text>
    </Alert>
  );
}

/** What follows a verified address: the first tenant, or the tenants that the person has. */
export function Verified() {
  return (
    <CenteredPage title="Your email address is verified">
      <Stack gap="md">
        <Text role="status">Thank you. Your account is ready.</Text>
        <Button component={Link} to="/overview" size="md">
          Continue
        </Button>
      </Stack>
    </CenteredPage>
  );
}
