import { Text } from '@mantine/core';
import type { TenantMembership } from '../api/me.ts';
import { Page } from '../components/Page.tsx';

/** What a suspended or closed tenant shows instead of its screens. */
export function TenantUnavailable({ tenant }: { readonly tenant: TenantMembership }) {
  const isClosed = tenant.status === 'closed';
  return (
    <Page title={isClosed ? 'This tenant is closed' : 'This tenant is suspended'}>
      <Text maw={560}>
        {isClosed
          ? `${tenant.name} was closed and cannot be opened again. The operator of the service can export its data for a while.`
          : `${tenant.name} is suspended, so its licenses are not validated. An owner can restore it by paying the open invoice.`}
      </Text>
    </Page>
  );
}
