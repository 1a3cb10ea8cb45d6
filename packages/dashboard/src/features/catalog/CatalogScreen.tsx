import { Button, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type CatalogProduct, catalogProductsQuery } from '../../api/commerce.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { Boxes, Plus } from '../../icons/icons.gen.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { CouponsTab } from '../coupons/CouponsTab.tsx';
import { PlansTab } from '../plans/PlansTab.tsx';
import { ProductForm } from './ProductForm.tsx';
import { catalogSearch, catalogTabs } from './search.ts';

const texts = {
  plans: { label: 'Plans', create: 'New plan' },
  products: { label: 'Products', create: 'New catalog product' },
  coupons: { label: 'Coupons', create: 'New coupon' },
} as const;

/** What the platform sells: plans with their prices and limits, the products that group them, and coupons. */
export default function CatalogScreen(): ReactNode {
  const [{ tab = 'plans' }, change] = useFilters(catalogSearch);
  const mayWrite = useWritesPlatform();
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
      description="Customers buy plans. New prices apply to new purchases. New limits apply immediately to every tenant on the plan."
      actions={
        mayWrite && <ActionButton icon={Plus} label={texts[tab].create} onClick={() => void change({ panel: 'new' })} />
      }
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

const columns: Column<CatalogProduct>[] = [
  { header: 'Product', cell: ({ name }) => name },
  { header: 'Code', cell: ({ code }) => <Text ff="monospace">{code}</Text> },
  {
    header: 'Description',
    cell: ({ description }) => (
      <Text truncate maw={420}>
        {description ?? '—'}
      </Text>
    ),
    isSecondary: true,
  },
  timeColumn('Changed', ({ updated_at }) => updated_at, { format: 'relative', isSecondary: true }),
];

/** The products of the catalog, which group plans. */
function ProductsTab() {
  const [{ cursor, panel }, change] = useFilters(catalogSearch);
  const query = useQuery(catalogProductsQuery(cursor ? { cursor } : {}));
  const close = () => void change({ panel: undefined });
  const mayWrite = useWritesPlatform();
  return (
    <>
      <DataTable
        caption="Catalog products"
        columns={columns}
        query={query}
        rowPath={({ id }) => `/admin/catalog/products/${id}`}
        empty={{
          icon: Boxes,
          title: 'No products yet',
          description:
            'A catalog product groups plans, for example one product per edition. Plans do not need a product.',
          action: mayWrite && <Button onClick={() => void change({ panel: 'new' })}>New catalog product</Button>,
        }}
      />
      <FormDrawer title="New catalog product" isOpen={mayWrite && panel === 'new'} onClose={close}>
        <ProductForm product={null} />
      </FormDrawer>
    </>
  );
}
