import { Button, Skeleton, Text } from '@mantine/core';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { exportLicenses, type LicenseFilters, licensesQuery } from '../../api/licenses.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { PolicyInput, ProductFilter } from '../../components/ChoiceInput.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { allOf, ExportMenu } from '../../components/ExportMenu.tsx';
import { FilterBar, SearchFilter, SelectFilter, shortFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { KeyRound, Plus, Upload } from '../../icons/icons.gen.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { prefetchForTenant } from '../../shell/prefetch.ts';
import { pathOn, SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { holderName, licenseColumns } from './columns.tsx';
import { filteredFields, labelOf } from './fields.ts';
import { expiryFilters, type LicensesSearch, licenseStatuses, licensesSearch } from './search.ts';

/** More than fit into a window. The layout of twice as many would block the window for longer. */
const limit = 25;

/** Returns the service's filters of a list of licenses. */
function filtersOf({ expires_within, panel: _panel, ...rest }: LicensesSearch): LicenseFilters {
  return { ...rest, limit, ...(expires_within !== undefined && { expires_within_days: Number(expires_within) }) };
}

/** Starts to read the licenses of the user's tenant while the frame around the list is rendered. */
export function prefetchLicenses(client: QueryClient, search: LicensesSearch): Promise<void> {
  return prefetchForTenant(client, (tenant) => client.prefetchQuery(licensesQuery(tenant, filtersOf(search))));
}

// Nobody needs its code before a license is chosen.
const BulkBar = lazy(() => import('../bulk-operations/BulkBar.tsx'));
// The list is read more often than a license is created, and the code of forms is large.
const NewLicenses = lazy(() => import('./NewLicenses.tsx'));

const sorts = [
  { value: 'expires_at', label: 'Expires first' },
  { value: '-expires_at', label: 'Expires last' },
  { value: 'created_at', label: 'Oldest first' },
] as const;

/** The licenses of a tenant: search, filters, export, import and "New license". */
export default function LicensesScreen(): ReactNode {
  const surface = useSurface();
  const [search, change, bar] = useFilters(
    licensesSearch,
    ...filteredFields,
    'q',
    'status',
    'product_id',
    'policy_id',
    'batch_id',
    'expires_within',
  );
  const filters = filtersOf(search);
  const { cursor: _cursor, limit: _limit, ...exported } = filters;
  const { sort: _sort, include: _include, ...matched } = exported;
  const query = useQuery(licensesQuery(surface, filters));
  const mayCreate = allows(surface, 'licenses', 'create');
  const choice = useChoice(JSON.stringify(matched));
  const create = <ActionButton icon={Plus} label="New license" onClick={() => void change({ panel: 'new' })} />;
  return (
    <Page
      title="Licenses"
      actions={
        <>
          <ExportMenu
            what={allOf('licenses', bar.isFiltered)}
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
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search key, customer or reference" />
        <SelectFilter name="status" label="Status" options={licenseStatuses} />
        <ProductFilter onChange={(id) => void change({ product_id: id ?? undefined, policy_id: undefined })} />
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
        <SelectFilter name="expires_within" label="Expires" options={expiryOptions(search.expires_within)} />
        {filteredFields.map((name) => (
          <SearchFilter name={name} key={name} label={labelOf(name)} />
        ))}
        <SelectFilter name="sort" label="Newest first" options={sorts} />
      </FilterBar>
      {search.batch_id !== undefined && (
        <Text>
          The list shows the licenses of one batch.{' '}
          <SurfaceLink to={`/batches/${search.batch_id}`}>Open the batch</SurfaceLink>
        </Text>
      )}
      <DataTable
        caption="Licenses"
        columns={licenseColumns}
        query={query}
        rowPath={({ id }) => pathOn(surface, `/licenses/${id}`)}
        selection={
          allows(surface, 'licenses', 'act')
            ? { ...choice, onChange: choice.onSelected, labelOf: ({ holder, key }) => holderName(holder) ?? key }
            : undefined
        }
        empty={{
          icon: KeyRound,
          title: 'No licenses yet',
          description:
            'A license gives one customer the right to use a product under the terms of a policy. Its key is what your application validates.',
          action: mayCreate && create,
          noMatch: bar.isFiltered && {
            title: 'No license matches',
            description: 'Change the filters, or search for another text.',
          },
        }}
      />
      {(choice.isEverything || choice.selected.size > 0) && (
        <Suspense>
          <BulkBar
            {...choice}
            filter={matched}
            isFiltered={bar.isFiltered}
            total={bar.isFiltered ? null : (query.data?.meta.total ?? null)}
          />
        </Suspense>
      )}
      <FormDrawer
        title="New license"
        isOpen={search.panel === 'new' && mayCreate}
        onClose={() => void change({ panel: undefined })}
        size="xl"
      >
        <Suspense fallback={<Skeleton h={320} />}>
          <NewLicenses />
        </Suspense>
      </FormDrawer>
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
