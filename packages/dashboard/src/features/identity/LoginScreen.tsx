import { Anchor, Group } from '@mantine/core';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Area, readSession } from '../../api/session.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { safeNext } from '../../shell/require-session.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { LoginForm } from './LoginForm.tsx';
import { openAfterLogin } from './open-after-login.ts';
import { setPendingLogin } from './pending-login.ts';
import { SingleSignOnButton } from './SingleSignOnButton.tsx';
import { loginSearch } from './search.ts';

/** Logs a person in to an area, and leads back to the page that the person came from. */
export function LoginScreen({ area }: { readonly area: Area }) {
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
      {...(next !== undefined && { description: 'Log in to continue where you were.' })}
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

function UserFooter() {
  return (
    <Group justify="center" gap="lg">
      <Anchor component={Link} to="/register" size="md">
        Create an account
      </Anchor>
      <Anchor component={Link} to="/forgot-password" size="md">
        Forgot your password?
      </Anchor>
    </Group>
  );
}

function AdminFooter() {
  return (
    <>
      For the administrators of this installation.{' '}
      <Anchor component={Link} to="/login" size="md" underline="always">
        Log in as a customer
      </Anchor>
    </>
  );
}
