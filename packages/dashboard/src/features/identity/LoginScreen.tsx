import { Anchor, Button, Divider, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Credentials, logIn, signUpQuery, singleSignOnPath, singleSignOnQuery } from '../../api/identity.ts';
import { Problem } from '../../api/problem.ts';
import { type Area, readSession } from '../../api/session.ts';
import { PasswordField } from '../../components/PasswordField.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { safeNext } from '../../shell/require-session.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { AuthForm } from './AuthForm.tsx';
import { openAfterLogin } from './open-after-login.ts';
import { required } from './password-rules.ts';
import { setPendingLogin } from './pending-login.ts';
import { loginSearch } from './search.ts';

/** Logs a person in to an area, and leads back to the page that the person came from. */
function LoginScreen({ area }: { readonly area: Area }) {
  const [{ next }] = useFilters(loginSearch);
  const router = useRouter();
  const navigate = useNavigate();
  // Whoever returns here starts again, and the password must not stay in memory.
  useEffect(() => setPendingLogin(null), []);
  useEffect(() => {
    // The event reports a login in another tab, which this tab follows.
    const follow = () => readSession(area) !== null && router.history.replace(safeNext(next, area));
    window.addEventListener('storage', follow);
    return () => window.removeEventListener('storage', follow);
  }, [area, next, router]);
  return (
    <CenteredPage
      title={area === 'admin' ? 'Admin login' : 'Log in'}
      {...(next !== undefined && { description: 'Log in to continue where you left off.' })}
      footer={area === 'admin' ? <AdminFooter /> : <UserFooter />}
    >
      <LoginForm
        area={area}
        onLoggedIn={(login) => openAfterLogin(router, area, login, next)}
        onCodeNeeded={(credentials) => {
          setPendingLogin({ area, credentials });
          return navigate({ to: '/two-factor', search: next === undefined ? {} : { next } });
        }}
      />
      <SingleSignOnButton area={area} next={next} />
    </CenteredPage>
  );
}

/** The login page of tenant users. */
export const UserLogin = () => <LoginScreen area="tenant" />;

/** The login page of admins. */
export const AdminLogin = () => <LoginScreen area="admin" />;

/** Leads people without an account or without their password on. */
export function UserFooter() {
  const { data: signUp } = useQuery(signUpQuery());
  return (
    <Group justify="center" gap="lg">
      {signUp?.mode === 'open' && (
        <Anchor component={Link} to="/register" size="md">
          Create an account
        </Anchor>
      )}
      <Anchor component={Link} to="/forgot-password" size="md">
        Forgot your password?
      </Anchor>
    </Group>
  );
}

function AdminFooter() {
  return (
    <>
      This page is for the administrators of this installation.{' '}
      <Anchor component={Link} to="/login" size="md" underline="always">
        Log in as a customer
      </Anchor>
    </>
  );
}

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
        <PasswordField size="md" label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
      </Stack>
    </AuthForm>
  );
}

interface SingleSignOnButtonProps {
  readonly area: Area;
  /** The page to open after the login. */
  readonly next: string | undefined;
}

/** Leads to the provider of single sign-on, if people of this area can log in with it. */
function SingleSignOnButton({ area, next }: SingleSignOnButtonProps) {
  const { data } = useQuery(singleSignOnQuery());
  if (data === undefined || !data.abilities.includes(area)) return null;
  return (
    <>
      <Divider label="or" labelPosition="center" />
      <Button component="a" href={singleSignOnPath(area, next)} variant="default" size="md" fullWidth>
        Continue with {data.name}
      </Button>
    </>
  );
}
