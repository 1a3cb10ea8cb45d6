import { Anchor, Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { resetPassword } from '../../api/identity.ts';
import { clearSession } from '../../api/session.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { AuthForm } from './AuthForm.tsx';
import { useLinkToken } from './link-token.ts';
import { InvalidLink } from './Messages.tsx';
import { NewPasswordInput } from './NewPasswordInput.tsx';
import { checkNewPassword } from './password-rules.ts';

/** Chooses a new password with the link of a mail. */
export default function ResetPasswordScreen() {
  const token = useLinkToken();
  const [isDone, setDone] = useState(false);
  if (isDone) return <PasswordChanged />;
  return (
    <CenteredPage
      title="Choose a new password"
      description="You are logged out on every device."
      footer={
        <Anchor component={Link} to="/login" size="md">
          Back to login
        </Anchor>
      }
    >
      {token === null ? <RequestAnother /> : <PasswordForm token={token} onDone={() => setDone(true)} />}
    </CenteredPage>
  );
}

function PasswordForm({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const resource = useResourceForm({
    initialValues: { password: '' },
    validate: { password: checkNewPassword },
    submit: ({ password }) => resetPassword({ token, password }),
    onSaved() {
      // The service has revoked the token; without it, this browser asks for the new password at once.
      clearSession('tenant');
      onDone();
    },
  });
  if (resource.problem?.code === 'AUTH.LINK_INVALID') return <RequestAnother />;
  return (
    <AuthForm resource={resource} submitLabel="Set password">
      <NewPasswordInput size="md" label="New password" autoFocus {...resource.form.getInputProps('password')} />
    </AuthForm>
  );
}

function RequestAnother() {
  return (
    <Stack gap="md">
      <InvalidLink>
        This link was already used, was replaced by a newer link, or has expired after 60 minutes. Your password has not
        changed.
      </InvalidLink>
      <Button component={Link} to="/forgot-password" size="md">
        Request new link
      </Button>
    </Stack>
  );
}

function PasswordChanged() {
  return (
    <CenteredPage title="Your password was changed">
      <Stack gap="md">
        <Text role="status">Log in with your new password. You were logged out on every device.</Text>
        <Button component={Link} to="/login" size="md">
          Log in
        </Button>
      </Stack>
    </CenteredPage>
  );
}
