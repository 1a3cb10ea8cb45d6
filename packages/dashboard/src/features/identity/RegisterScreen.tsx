import { Anchor, Stack, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { logIn, register } from '../../api/identity.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { AuthForm } from './AuthForm.tsx';
import { CheckMail } from './Messages.tsx';
import { NewPasswordInput } from './NewPasswordInput.tsx';
import { checkEmail, checkNewPassword, required } from './password-rules.ts';

/** Creates an account. The mailed link that verifies the address is the next step. */
export function RegisterScreen() {
  const navigate = useNavigate();
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  const resource = useResourceForm({
    initialValues: { name: '', email: '', password: '' },
    validate: { name: required('your name'), email: checkEmail, password: checkNewPassword },
    async submit(values) {
      const person = { ...values, name: values.name.trim(), email: values.email.trim() };
      await register(person);
      // The service does not tell whether the address had an account, so this login fails for an address that had one.
      const isLoggedIn = await logIn('tenant', person).then(
        () => true,
        () => false,
      );
      return { email: person.email, isLoggedIn };
    },
    onSaved: ({ email, isLoggedIn }) => (isLoggedIn ? navigate({ to: '/verify-email' }) : setMailedTo(email)),
  });
  const { form } = resource;
  if (mailedTo !== null) {
    return (
      <CenteredPage title="Check your mail" footer={<LoginLink />}>
        <CheckMail email={mailedTo}>We sent you a mail that tells how to go on.</CheckMail>
      </CenteredPage>
    );
  }
  return (
    <CenteredPage
      title="Create an account"
      description="License your software in a few minutes."
      footer={<LoginLink />}
    >
      <AuthForm resource={resource} submitLabel="Create account">
        <Stack gap="sm">
          <TextInput
            size="md"
            label="Name"
            autoComplete="name"
            maxLength={100}
            autoFocus
            {...form.getInputProps('name')}
          />
          <TextInput size="md" label="Email" type="email" autoComplete="username" {...form.getInputProps('email')} />
          <NewPasswordInput size="md" label="Password" {...form.getInputProps('password')} />
        </Stack>
      </AuthForm>
    </CenteredPage>
  );
}

function LoginLink() {
  return (
    <>
      Do you have an account?{' '}
      <Anchor component={Link} to="/login" size="md" underline="always">
        Log in
      </Anchor>
    </>
  );
}
