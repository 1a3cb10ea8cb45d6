import type { ReactNode } from 'react';
import { useMe } from '../../shell/SignedIn.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { CheckoutScreen } from './CheckoutScreen.tsx';
import { ChoosePlanScreen } from './ChoosePlanScreen.tsx';
import { NewTenantScreen } from './NewTenantScreen.tsx';
import { welcomeSearch } from './search.ts';
import { VerifyEmailScreen } from './VerifyEmailScreen.tsx';

/** The way to a tenant: plan, name, payment, and the progress of the provisioning. The URL says which step is open. */
export function WelcomeScreen(): ReactNode {
  const { user } = useMe();
  const [search] = useFilters(welcomeSearch);
  if (user !== undefined && user.email_verified_at === null) return <VerifyEmailScreen email={user.email} />;
  if (search.onboarding !== undefined) {
    return <CheckoutScreen key={search.onboarding} id={search.onboarding} isCanceled={search.canceled === true} />;
  }
  if (search.plan !== undefined) return <NewTenantScreen planCode={search.plan} />;
  return <ChoosePlanScreen />;
}
