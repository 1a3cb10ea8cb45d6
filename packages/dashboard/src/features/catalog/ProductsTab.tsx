import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Boxes } from 'lucide-react';
import { type CatalogProduct, catalogProductsQuery } from '../../api/commerce.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { ProductForm } from './ProductForm.tsx';
import { catalogSearch } from './search.ts';

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
  { header: 'Changed', cell: ({ updated_at }) => <TimeText value={updated_at} format="relative" />, isSecondary: true },
];

/** The products of the catalog, which group plans. */
export function ProductsTab() {
  const [{ cursor, panel }, change] = useFilters(catalogSearch);
  const query = useQuery(catalogProductsQuery(cursor ? { cursor } : {}));
  const close = () => void change({ panel: undefined });
  return (
    <>
      <DataTable
        caption="Catalog products"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/admin/catalog/products/${id}`}
        empty={
          <EmptyState
            icon={Boxes}
            title="No products yet"
            description="A catalog product groups plans, for example one product per edition. Plans work without one."
            action={<Button onClick={() => void change({ panel: 'new' })}>New catalog product</Button>}
          />
        }
      />
      <FormDrawer title="New catalog product" isOpen={panel === 'new'} onClose={close}>
        {(onUnsaved) => <ProductForm product={null} onUnsaved={onUnsaved} onClose={close} />}
      </FormDrawer>
    </>
  );
}
