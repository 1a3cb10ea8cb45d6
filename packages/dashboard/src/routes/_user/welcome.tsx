import { createFileRoute } from '@tanstack/react-router';
import { Page } from '../../components/Page.tsx';
import { UserShell } from '../../shell/TenantArea.tsx';

export const Route = createFileRoute('/_user/welcome')({
  component: () => (
    <UserShell>
      <Page title="Welcome">{null}</Page>
    </UserShell>
  ),
});
