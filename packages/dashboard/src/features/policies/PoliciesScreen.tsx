import { useQuery } from '@tanstack/react-query';
import { policiesQuery, productChoicesQuery, productQuery } from '../../api/tenant-catalog.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ProductFilter } from '../../components/ChoiceInput.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { ArchivedFilter, FilterBar, SearchFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { FileText, Plus } from '../../icons/icons.gen.ts';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { policyColumns } from './policy-columns.tsx';
import { policySearch } from './search.ts';

/** The name of a product that the choices of products do not contain. */
function ProductName({ id }: { readonly id: string }) {
  return useQuery(productQuery(useSurface(), id)).data?.name ?? '—';
}

/** The policies of a tenant. */
export default function PoliciesScreen() {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [filters, , bar] = useFilters(policySearch, 'q', 'product_id', 'archived');
  const query = useQuery(policiesQuery(surface, filters));
  const { data: products } = useQuery(productChoicesQuery(surface, '', 'all'));
  const names = new Map(products?.map(({ id, name }) => [id, name]));
  const [nameColumn, ...columns] = policyColumns;
  const product = {
    header: 'Product',
    cell: ({ product_id }: { readonly product_id: string }) =>
      names.get(product_id) ?? (products === undefined ? '—' : <ProductName id={product_id} />),
  };
  const newButton = allows(surface, 'policies', 'create') && (
    <ActionButton
      icon={Plus}
      label="New policy"
      onClick={() =>
        void navigate('/policies/new', filters.product_id ? { search: { product_id: filters.product_id } } : {})
      }
    />
  );
  return (
    <Page
      title="Policies"
      description="A policy is a template for licenses. It sets how long they are valid, on how many devices they work, and what they include."
      actions={newButton}
    >
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search policies" />
        <ProductFilter />
        <ArchivedFilter />
      </FilterBar>
      <DataTable
        caption="Policies"
        columns={[...(nameColumn === undefined ? [] : [nameColumn]), { ...product, isSecondary: true }, ...columns]}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/policies/${id}`)}
        empty={{
          icon: FileText,
          title: 'No policies yet',
          description:
            'A policy sets how long licenses are valid, on how many devices they work, and what they include. Start with a template: perpetual, subscription, floating, trial or metered.',
          action: newButton,
          noMatch: bar.isFiltered && {
            icon: FileText,
            title: 'No policies match',
            description: 'Try another search, or reset the filters.',
          },
        }}
      />
    </Page>
  );
}
