import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { policiesQuery, productOptionsQuery } from '../../api/tenant-catalog.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ArchivedFilter, FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { FileText, Plus } from '../../icons/icons.gen.ts';
import { pathOn, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { policyColumns } from './policy-columns.tsx';
import { policySearch } from './search.ts';

/** The policies of a tenant. */
export function PoliciesScreen() {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [filters, change] = useFilters(policySearch);
  const query = useQuery(policiesQuery(surface, filters));
  const { data: products = [] } = useQuery(productOptionsQuery(surface, '', 'all'));
  const names = new Map(products.map(({ id, name }) => [id, name]));
  const [nameColumn, ...columns] = policyColumns;
  const product = {
    header: 'Product',
    cell: ({ product_id }: { readonly product_id: string }) => names.get(product_id) ?? '—',
  };
  const isFiltered = filters.q !== undefined || filters.product_id !== undefined || filters.archived !== undefined;
  const newButton = allows(surface, 'policies', 'create') && (
    <Button
      leftSection={<Plus size={15} aria-hidden="true" />}
      onClick={() =>
        void navigate('/policies/new', filters.product_id ? { search: { product_id: filters.product_id } } : {})
      }
    >
      New policy
    </Button>
  );
  return (
    <Page
      title="Policies"
      description="A policy is a template for licenses. It sets how long they are valid, on how many devices they work, and what they include."
      actions={newButton}
    >
      <FilterBar
        isFiltered={isFiltered}
        onReset={() => void change({ q: undefined, product_id: undefined, archived: undefined })}
      >
        <SearchFilter
          label="Search policies"
          value={filters.q}
          onChange={(q) => void change({ q }, { replace: true })}
        />
        <SelectFilter
          label="Product"
          options={products.map(({ id, name }) => ({ value: id, label: name }))}
          value={filters.product_id}
          onChange={(product_id) => void change({ product_id })}
          isSearchable
        />
        <ArchivedFilter value={filters.archived} onChange={(archived) => void change({ archived })} />
      </FilterBar>
      <DataTable
        caption="Policies"
        columns={[...(nameColumn === undefined ? [] : [nameColumn]), { ...product, isSecondary: true }, ...columns]}
        query={query}
        rowKey={({ id }) => id}
        rowPath={({ id }) => pathOn(surface, `/policies/${id}`)}
        empty={
          isFiltered ? (
            <EmptyState
              icon={FileText}
              title="No policies match"
              description="Try another search, or reset the filters."
            />
          ) : (
            <EmptyState
              icon={FileText}
              title="No policies yet"
              description="A policy sets how long licenses are valid, on how many devices they work, and what they include. Start with a template: perpetual, subscription, floating, trial or metered."
              action={newButton}
            />
          )
        }
      />
    </Page>
  );
}
