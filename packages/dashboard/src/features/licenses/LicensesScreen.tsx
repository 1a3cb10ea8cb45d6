import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { exportLicenses, licensesQuery } from '../../api/licenses.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { allOf, ExportMenu } from '../../components/ExportMenu.tsx';
import { FilterBar, SearchFilter, SelectFilter, shortFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { KeyRound, Plus, Upload } from '../../icons/icons.gen.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn, SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { PolicyInput, ProductInput } from './ChoiceInput.tsx';
import { holderName, licenseColumns } from './columns.tsx';
import { filteredFields, labelOf } from './fields.ts';
import { filtersOf } from './list-query.ts';
import { NewLicense } from './NewLicense.tsx';
import { expiryFilters, licenseStatuses, licensesSearch } from './search.ts';

// Nobody needs its code before a license is chosen.
const BulkBar = lazy(() => import('../bulk-operations/BulkBar.tsx'));

const noFilters = {
  ...Object.fromEntries(filteredFields.map((name) => [name, undefined])),
  q: undefined,
  status: undefined,
  product_id: undefined,
  policy_id: undefined,
  batch_id: undefined,
  expires_within: undefined,
};
const sorts = [
  { value: 'expires_at', label: 'Expires first' },
  { value: '-expires_at', label: 'Expires last' },
  { value: 'created_at', label: 'Oldest first' },
] as const;

/** The licenses of a tenant: search, filters, export, import and "New license". */
export function LicensesScreen(): ReactNode {
  const surface = useSurface();
  const [search, change] = useFilters(licensesSearch);
  const filters = filtersOf(search);
  const { cursor: _cursor, limit: _limit, ...exported } = filters;
  const { sort: _sort, include: _include, ...matched } = exported;
  const query = useQuery(licensesQuery(surface, filters));
  const isFiltered = Object.keys(noFilters).some((name) => search[name as keyof typeof noFilters] !== undefined);
  const mayCreate = allows(surface, 'licenses', 'create');
  const choice = useChoice(JSON.stringify(matched));
  const create = (
    <Button leftSection={<Plus size={16} aria-hidden="true" />} onClick={() => void change({ panel: 'new' })}>
      New license
    </Button>
  );
  return (
    <Page
      title="Licenses"
      actions={
        <>
          <ExportMenu
            what={allOf('licenses', isFiltered)}
            fileName="licenses"
            run={(format) => exportLicenses(surface, { ...exported, format })}
          />
          {mayCreate && (
            <Button
              variant="default"
              component={PathLink}
              to={pathOn(surface, '/licenses/import')}
              leftSection={<Upload size={16} aria-hidden="true" />}
            >
              Import
            </Button>
          )}
          {mayCreate && create}
        </>
      }
    >
      <FilterBar isFiltered={isFiltered} onReset={() => void change(noFilters)}>
        <SearchFilter
          label="Search key, customer or reference"
          value={search.q}
          onChange={(q) => void change({ q }, { replace: true })}
        />
        <SelectFilter
          label="Status"
          options={licenseStatuses}
          value={search.status}
          onChange={(status) => void change({ status })}
        />
        <ProductInput
          aria-label="Product"
          placeholder="Product"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear Product' }}
          value={search.product_id ?? null}
          onChange={(id) => void change({ product_id: id ?? undefined, policy_id: undefined })}
          className={shortFilter}
        />
        <PolicyInput
          aria-label="Policy"
          placeholder="Policy"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear Policy' }}
          productId={search.product_id}
          value={search.policy_id ?? null}
          onChange={(id) => void change({ policy_id: id ?? undefined })}
          className={shortFilter}
        />
        <SelectFilter
          label="Expires"
          options={expiryOptions(search.expires_within)}
          value={search.expires_within}
          onChange={(expires_within) => void change({ expires_within })}
        />
        {filteredFields.map((name) => (
          <SearchFilter
            key={name}
            label={labelOf(name)}
            value={search[name]}
            onChange={(value) => void change({ [name]: value }, { replace: true })}
          />
        ))}
        <SelectFilter
          label="Newest first"
          options={sorts}
          value={search.sort}
          onChange={(sort) => void change({ sort })}
        />
      </FilterBar>
      {search.batch_id !== undefined && (
        <Text size="md">
          The list shows the licenses of one batch.{' '}
          <SurfaceLink to={`/batches/${search.batch_id}`}>Open the batch</SurfaceLink>
        </Text>
      )}
      <DataTable
        caption="Licenses"
        columns={licenseColumns}
        query={query}
        rowKey={({ id }) => id}
        rowPath={({ id }) => pathOn(surface, `/licenses/${id}`)}
        selection={
          allows(surface, 'licenses', 'act')
            ? { ...choice, onChange: choice.onSelected, labelOf: ({ holder, key }) => holderName(holder) ?? key }
            : undefined
        }
        empty={
          isFiltered ? (
            <EmptyState title="No license matches" description="Change the filters, or search for another text." />
          ) : (
            <EmptyState
              icon={KeyRound}
              title="No licenses yet"
              description="A license gives one customer the right to use a product under the terms of a policy. Its key is what your application validates."
              action={mayCreate && create}
            />
          )
        }
      />
      {(choice.isEverything || choice.selected.size > 0) && (
        <Suspense>
          <BulkBar
            {...choice}
            filter={matched}
            isFiltered={isFiltered}
            total={isFiltered ? null : (query.data?.meta.total ?? null)}
          />
        </Suspense>
      )}
      <NewLicense isOpen={search.panel === 'new' && mayCreate} onClose={() => void change({ panel: undefined })} />
    </Page>
  );
}

/** The offered numbers of days, and the one that a link has chosen. */
function expiryOptions(chosen: string | undefined) {
  const all = chosen === undefined || expiryFilters.includes(chosen) ? expiryFilters : [...expiryFilters, chosen];
  return all.map((days) => ({ value: days, label: `Within ${days} days` }));
}

/** Returns which licenses are chosen. Other filters begin with none, because the chosen ones might not be listed. */
function useChoice(filters: string) {
  const [chosen, setChosen] = useState({
    filters,
    selected: new Set<string>() as ReadonlySet<string>,
    everything: false,
  });
  const { selected, everything } =
    chosen.filters === filters ? chosen : { selected: new Set<string>() as ReadonlySet<string>, everything: false };
  return {
    selected,
    isEverything: everything,
    onSelected: (next: ReadonlySet<string>) => setChosen({ filters, selected: next, everything: false }),
    onEverything: (isEverything: boolean) => setChosen({ filters, selected, everything: isEverything }),
    onClear: () => setChosen({ filters, selected: new Set(), everything: false }),
  };
}
