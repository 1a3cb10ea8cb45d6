import { Anchor, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { requestPasswordReset } from '../../api/identity.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { AuthForm } from './AuthForm.tsx';
import { CheckMail } from './Messages.tsx';
import { checkEmail } from './password-rules.ts';

/** Mails a link to choose a new password. It does not tell whether the address has an account. */
export default function ForgotPasswordScreen() {
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const resource = useResourceForm({
    initialValues: { email: '' },
    validate: { email: checkEmail },
    async submit({ email }) {
      await requestPasswordReset({ email: email.trim() });
      return email.trim();
    },
    onSaved: setMailedTo,
  });
  const footer = (
    <Anchor component={Link} to="/login" size="md">
      Back to login
    </Anchor>
  );
  if (mailedTo !== null) {
    return (
      <CenteredPage title="Check your email" footer={footer}>
        <CheckMail email={mailedTo}>
          If an account with this address exists, we sent it a link to choose a new password. You can use the link once,
          within 60 minutes.
        </CheckMail>
      </CenteredPage>
    );
  }
  return (
    <CenteredPage
      title="Forgot your password?"
      description="Enter the email address of your account, and we send you a link to choose a new password."
      footer={footer}
    >
      <AuthForm resource={resource} submitLabel="Send link">
        <TextInput
          size="md"
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          {...resource.form.getInputProps('email')}
        />
      </AuthForm>
    </CenteredPage>
  );
}
