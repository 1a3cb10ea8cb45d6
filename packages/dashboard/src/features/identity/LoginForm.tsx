import { Anchor, PasswordInput, Stack, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Credentials, logIn } from '../../api/identity.ts';
import { Problem } from '../../api/problem.ts';
import type { Area } from '../../api/session.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { AuthForm } from './AuthForm.tsx';
import { required } from './password-rules.ts';

type Login = Awaited<ReturnType<typeof logIn>>;

interface LoginFormProps {
  readonly area: Area;
  readonly submitLabel?: string;
  readonly onLoggedIn: (login: Login) => unknown;
  /** Called if the password is right and the account needs a code as well. */
  readonly onCodeNeeded: (credentials: Credentials) => unknown;
}

/** The login form: address and password. */
export function LoginForm({ area, submitLabel = 'Log in', onLoggedIn, onCodeNeeded }: LoginFormProps) {
  const resource = useResourceForm({
    initialValues: { email: '', password: '' },
    validate: { email: required('your email address'), password: required('your password') },
    async submit({ email, password }) {
      const credentials = { email: email.trim(), password };
      try {
        return { login: await logIn(area, credentials), credentials };
      } catch (error) {
        if (error instanceof Problem && error.code === 'AUTH.TWO_FACTOR_REQUIRED') return { login: null, credentials };
        throw error;
      }
    },
    onSaved: ({ login, credentials }) => (login === null ? onCodeNeeded(credentials) : onLoggedIn(login)),
  });
  const { form } = resource;
  const help = ({ code }: Problem) =>
    area === 'tenant' &&
    (code === 'AUTH.LOCKED_OUT' || code === 'AUTH.INVALID_CREDENTIALS') && (
      <Anchor component={Link} to="/forgot-password" inherit underline="always">
        Choose a new password
      </Anchor>
    );
  return (
    <AuthForm resource={resource} submitLabel={submitLabel} help={help}>
      <Stack gap="sm">
        <TextInput
          size="md"
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          {...form.getInputProps('email')}
        />
        <PasswordInput size="md" label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
      </Stack>
    </AuthForm>
  );
}
