import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createProduct, type Product, productsQuery } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { ArchivedFilter, FilterBar, SearchFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Mono } from '../../components/Texts.tsx';
import { Package, Plus } from '../../icons/icons.gen.ts';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { ProductForm } from './ProductForm.tsx';
import { productSearch } from './search.ts';

const columns: readonly Column<Product>[] = [
  {
    header: 'Name',
    cell: ({ name, archived_at }) => (
      <Group gap="xs" wrap="nowrap">
        {name}
        {archived_at !== null && <StatusBadge status="archived" />}
      </Group>
    ),
  },
  {
    header: 'Code',
    cell: ({ code }) => <Mono>{code}</Mono>,
  },
  { header: 'Platforms', cell: ({ platforms }) => platforms.join(', ') || '—', isSecondary: true },
  timeColumn('Created at', ({ created_at }) => created_at, { format: 'date', isSecondary: true }),
];

/** The products of a tenant. */
export default function ProductsScreen() {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [filters, change, bar] = useFilters(productSearch, 'q', 'archived');
  const query = useQuery(productsQuery(surface, filters));
  const mayCreate = allows(surface, 'products', 'create');
  const close = () => void change({ panel: undefined, cursor: filters.cursor });
  const newButton = <ActionButton icon={Plus} label="New product" onClick={() => void change({ panel: 'new' })} />;
  return (
    <Page
      title="Products"
      description="A product is an application that you license. Its policies are the templates for its licenses."
      actions={mayCreate && newButton}
    >
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search products" />
        <ArchivedFilter />
      </FilterBar>
      <DataTable
        caption="Products"
        columns={columns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/products/${id}`)}
        empty={{
          icon: Package,
          title: 'No products yet',
          description:
            'A product is an application that you sell. Create a product, then a policy that sets what its licenses allow.',
          action: mayCreate && <Group>{newButton}</Group>,
          noMatch: bar.isFiltered && {
            icon: Package,
            title: 'No products match',
            description: 'Search for another name or code.',
          },
        }}
      />
      <FormDrawer title="New product" isOpen={mayCreate && filters.panel === 'new'} onClose={close}>
        <ProductForm
          submitLabel="Create product"
          submit={(input, key) => createProduct(surface, input, key)}
          onSaved={({ id }) => navigate(`/products/${id}`)}
        />
      </FormDrawer>
    </Page>
  );
}
