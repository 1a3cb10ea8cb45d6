import { Button, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../../components/Page.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { PlansTab } from '../plans/PlansTab.tsx';
import { ProductsTab } from './ProductsTab.tsx';
import { catalogSearch } from './search.ts';

/** What the platform sells: plans with their prices and limits, and the products that group them. */
export function CatalogScreen(): ReactNode {
  const [{ tab = 'plans' }, change] = useFilters(catalogSearch);
  const select = (value: string | null) =>
    void change({
      tab: value === 'products' ? 'products' : undefined,
      archived: undefined,
      product: undefined,
      panel: undefined,
    });
  return (
    <Page
      title="Catalog"
      description="Plans are what customers buy. New prices apply to new purchases; limits apply at once to every tenant of the plan."
      actions={
        <Button onClick={() => void change({ panel: 'new' })}>
          {tab === 'plans' ? 'New plan' : 'New catalog product'}
        </Button>
      }
    >
      <Tabs value={tab} onChange={select}>
        <Tabs.List mb="md">
          <Tabs.Tab value="plans">Plans</Tabs.Tab>
          <Tabs.Tab value="products">Products</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="plans">
          <PlansTab />
        </Tabs.Panel>
        <Tabs.Panel value="products">
          <ProductsTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
