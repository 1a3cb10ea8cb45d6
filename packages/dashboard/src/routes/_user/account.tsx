import { createFileRoute } from '@tanstack/react-router';
import { AccountScreen } from '../../features/account/AccountScreen.tsx';
import { searchOf, text } from '../../lib/search.ts';
import { UserShell } from '../../shell/TenantArea.tsx';

export const Route = createFileRoute('/_user/account')({
  validateSearch: searchOf({ cursor: text }),
  component: () => (
    <UserShell>
      <AccountScreen />
    </UserShell>
  ),
});
