import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { logIn, register, signUpQuery } from '../../api/identity.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { AuthForm } from './AuthForm.tsx';
import { CheckMail } from './Messages.tsx';
import { NewPasswordInput } from './NewPasswordInput.tsx';
import { checkEmail, checkNewPassword, required } from './password-rules.ts';

/** Creates an account, or says how to get one if people cannot register. */
export default function RegisterScreen() {
  const { data: signUp, error } = useQuery(signUpQuery());
  // Without an answer the form appears, and the service decides.
  if (signUp === undefined && error === null) return <CenteredPage title="Create an account">{null}</CenteredPage>;
  if (signUp === undefined || signUp.mode === 'open') return <RegistrationForm />;
  return (
    <CenteredPage title="Sign-up is closed" footer={<LoginLink />}>
      <Text>
        {signUp.mode === 'invite'
          ? 'You need an invitation to create an account. Ask an owner of a tenant to invite you, then open the link in the mail.'
          : 'This service does not accept new accounts. Ask its operator for access.'}
      </Text>
    </CenteredPage>
  );
}

/** The mailed link that verifies the address is the next step. */
function RegistrationForm() {
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
      <CenteredPage title="Check your email" footer={<LoginLink />}>
        <CheckMail email={mailedTo}>We sent you a mail with the next step.</CheckMail>
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
      Already have an account?{' '}
      <Anchor component={Link} to="/login" size="md" underline="always">
        Log in
      </Anchor>
    </>
  );
}
