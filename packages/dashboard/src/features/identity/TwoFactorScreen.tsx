import { Anchor } from '@mantine/core';
import { Navigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { logIn } from '../../api/identity.ts';
import { CenteredPage } from '../../shell/CenteredPage.tsx';
import { PathLink } from '../../shell/PathLink.tsx';
import { loginPath } from '../../shell/require-session.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { CodeForm } from './CodeForm.tsx';
import { openAfterLogin } from './open-after-login.ts';
import { pendingLogin, setPendingLogin } from './pending-login.ts';
import { loginSearch } from './search.ts';

/** The second step of a login, for accounts with an authenticator app. */
export default function TwoFactorScreen() {
  const [{ next }] = useFilters(loginSearch);
  const router = useRouter();
  const [pending] = useState(pendingLogin);
  const search = next === undefined ? {} : { next };
  // After a reload the password is gone, so the login starts again.
  if (pending === null) return <Navigate to="/login" search={search} replace />;
  const { area, credentials } = pending;
  return (
    <CenteredPage
      title="Two-factor authentication"
      description={`Enter a code from your authenticator app to log in as ${credentials.email}.`}
      footer={
        <Anchor component={PathLink} to={loginPath(area)} search={search} size="md">
          Log in as someone else
        </Anchor>
      }
    >
      <CodeForm
        submit={(code) => logIn(area, { ...credentials, code })}
        onLoggedIn={(login) => {
          setPendingLogin(null);
          return openAfterLogin(router, area, login, next);
        }}
      />
    </CenteredPage>
  );
}
