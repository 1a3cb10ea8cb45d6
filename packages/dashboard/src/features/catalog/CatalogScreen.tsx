import { Button, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../../components/Page.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { CouponsTab } from '../coupons/CouponsTab.tsx';
import { PlansTab } from '../plans/PlansTab.tsx';
import { ProductsTab } from './ProductsTab.tsx';
import { catalogSearch, catalogTabs } from './search.ts';

const texts = {
  plans: { label: 'Plans', create: 'New plan' },
  products: { label: 'Products', create: 'New catalog product' },
  coupons: { label: 'Coupons', create: 'New coupon' },
} as const;

/** What the platform sells: plans with their prices and limits, the products that group them, and coupons. */
export function CatalogScreen(): ReactNode {
  const [{ tab = 'plans' }, change] = useFilters(catalogSearch);
  const select = (value: string | null) =>
    void change({
      tab: value === 'plans' ? undefined : (value ?? undefined),
      archived: undefined,
      product: undefined,
      panel: undefined,
    });
  return (
    <Page
      title="Catalog"
      description="Plans are what customers buy. New prices apply to new purchases; limits apply at once to every tenant of the plan."
      actions={<Button onClick={() => void change({ panel: 'new' })}>{texts[tab].create}</Button>}
    >
      <Tabs value={tab} onChange={select}>
        <Tabs.List mb="md">
          {catalogTabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {texts[one].label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="plans">
          <PlansTab />
        </Tabs.Panel>
        <Tabs.Panel value="products">
          <ProductsTab />
        </Tabs.Panel>
        <Tabs.Panel value="coupons">
          <CouponsTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
