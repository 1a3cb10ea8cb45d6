import { createFileRoute } from '@tanstack/react-router';
import { welcomeSearch } from '../../features/onboarding/search.ts';
import { WelcomeScreen } from '../../features/onboarding/WelcomeScreen.tsx';
import { UserShell } from '../../shell/TenantArea.tsx';

export const Route = createFileRoute('/_user/welcome')({
  validateSearch: welcomeSearch,
  component: () => (
    <UserShell>
      <WelcomeScreen />
    </UserShell>
  ),
});
