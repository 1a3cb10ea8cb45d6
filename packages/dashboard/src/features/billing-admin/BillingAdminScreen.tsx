import { Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { revenueQuery } from '../../api/commerce.ts';
import { Page } from '../../components/Page.tsx';
import { useWritesBilling } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { AuthorizationLogTab } from './AuthorizationLogTab.tsx';
import { BillingGate } from './BillingGate.tsx';
import { CreditPanel } from './CreditPanel.tsx';
import { OrphansTab } from './OrphansTab.tsx';
import { PaymentEventsTab } from './PaymentEventsTab.tsx';
import { RevenueTab } from './RevenueTab.tsx';
import { SandboxTab } from './SandboxTab.tsx';
import { billingAdminSearch, billingTabs } from './search.ts';

const labels: Readonly<Record<(typeof billingTabs)[number], string>> = {
  revenue: 'Revenue',
  events: 'Provider events',
  orphans: 'Orphans',
  'authorization-log': 'Authorization log',
  sandbox: 'Sandbox',
};

const noFilters = {
  panel: undefined,
  type: undefined,
  provider_subscription_id: undefined,
  allowed: undefined,
};

/** The platform's payments: revenue, the provider's events, and the authorization log. */
export default function BillingAdminScreen(): ReactNode {
  return (
    <BillingGate title="Billing">
      <Administration />
    </BillingGate>
  );
}

function Administration() {
  const [{ tab = 'revenue' }, change] = useFilters(billingAdminSearch);
  const { data } = useQuery(revenueQuery);
  const hasContent = { orphans: (data?.orphans ?? 0) > 0, sandbox: data?.has_sandbox === true };
  // A link to a tab without content shows it, and the tab says why it is empty.
  const tabs = billingTabs.filter((one) => one === tab || (hasContent[one as keyof typeof hasContent] ?? true));
  const mayWrite = useWritesBilling();
  const select = (value: string | null) =>
    void change({ ...noFilters, tab: value === 'revenue' ? undefined : (value ?? undefined) });
  return (
    <Page
      title="Billing"
      actions={mayWrite && <Button onClick={() => void change({ panel: 'credit' })}>Grant credit</Button>}
    >
      <Tabs value={tab} onChange={select}>
        <Tabs.List mb="md">
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {labels[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="revenue">
          <RevenueTab />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <PaymentEventsTab mayWrite={mayWrite} />
        </Tabs.Panel>
        <Tabs.Panel value="orphans">
          <OrphansTab />
        </Tabs.Panel>
        <Tabs.Panel value="authorization-log">
          <AuthorizationLogTab />
        </Tabs.Panel>
        <Tabs.Panel value="sandbox">
          <SandboxTab mayWrite={mayWrite} />
        </Tabs.Panel>
      </Tabs>
      {mayWrite && <CreditPanel />}
    </Page>
  );
}
