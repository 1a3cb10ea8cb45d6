import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus, Upload } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import {
  createLicense,
  exportLicenses,
  type LicenseFilters,
  licensesKey,
  licensesQuery,
  policyChoiceQuery,
} from '../../api/licenses.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ExportMenu } from '../../components/ExportMenu.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { pathOn, SurfaceLink, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { BulkBar } from '../bulk-operations/BulkBar.tsx';
import { PolicyInput, ProductInput } from './ChoiceInput.tsx';
import { holderName, licenseColumns } from './columns.tsx';
import { filteredFields, labelOf } from './fields.ts';
import { changesOf, emptyValues, validations } from './form-values.ts';
import { LicenseFields } from './LicenseFields.tsx';
import { expiryFilters, type LicensesSearch, licenseStatuses, licensesSearch } from './search.ts';

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

/** More than fit into a window. The layout of twice as many would block the window for longer. */
const limit = 25;

/** Returns the service's filters. */
function filtersOf({ expires_within, panel: _panel, ...rest }: LicensesSearch): LicenseFilters {
  return { ...rest, limit, ...(expires_within !== undefined && { expires_within_days: Number(expires_within) }) };
}

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
            what="licenses"
            fileName="licenses"
            isFiltered={isFiltered}
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
          label="Search key, holder or reference"
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
          w={{ base: 'calc(50% - 4px)', xs: 144 }}
        />
        <PolicyInput
          aria-label="Policy"
          placeholder="Policy"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear Policy' }}
          productId={search.product_id}
          value={search.policy_id ?? null}
          onChange={(id) => void change({ policy_id: id ?? undefined })}
          w={{ base: 'calc(50% - 4px)', xs: 144 }}
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
          Only licenses of a batch. <SurfaceLink to={`/batches/${search.batch_id}`}>Open the batch</SurfaceLink>
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
      <BulkBar
        {...choice}
        filter={matched}
        isFiltered={isFiltered}
        total={isFiltered ? null : (query.data?.meta.total ?? null)}
      />
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

interface NewLicenseProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Issues a license and opens its page. */
function NewLicense({ isOpen, onClose }: NewLicenseProps) {
  return (
    <FormDrawer title="New license" isOpen={isOpen} onClose={onClose} size="xl">
      {(onUnsaved) => <NewLicenseForm onUnsaved={onUnsaved} onCancel={onClose} />}
    </FormDrawer>
  );
}

interface NewLicenseFormProps {
  readonly onUnsaved: (isUnsaved: boolean) => void;
  readonly onCancel: () => void;
}

const initialValues = { ...emptyValues, product_id: null as string | null, policy_id: null as string | null, key: '' };

function NewLicenseForm({ onUnsaved, onCancel }: NewLicenseFormProps) {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const resource = useResourceForm({
    initialValues,
    validate: { ...validations, policy_id: (id) => (id === null ? 'Choose the policy of the license.' : null) },
    submit: ({ policy_id, key, ...values }, idempotencyKey) => {
      const own = key.trim();
      const fields = changesOf(values, emptyValues);
      const defaults = { max_activations: null, entitlements: [], metadata: {} };
      const body = { ...defaults, ...fields, policy_id: policy_id ?? '', ...(own !== '' && { key: own }) };
      return createLicense(surface, body, idempotencyKey);
    },
    onSaved: async ({ id }) => {
      await navigate(`/licenses/${id}`);
      await client.invalidateQueries({ queryKey: licensesKey(surface) });
    },
    onUnsaved,
  });
  const { form } = resource;
  const { product_id: productId, policy_id: policyId } = form.getValues();
  const { data: policy } = useQuery({ ...policyChoiceQuery(surface, policyId ?? ''), enabled: policyId !== null });
  return (
    <ResourceFormBody resource={resource} submitLabel="Create license" onCancel={onCancel}>
      <ProductInput
        label="Product"
        placeholder="All products"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear Product' }}
        value={productId}
        onChange={(id) => form.setValues({ product_id: id, policy_id: null })}
        data-autofocus
        openOnFocus={false}
      />
      <PolicyInput
        label="Policy"
        placeholder="Choose the terms"
        withAsterisk
        productId={productId ?? undefined}
        {...form.getInputProps('policy_id')}
      />
      <Text size="sm" c="dimmed" mt={-8}>
        The policy sets the term, the limits and the entitlements.{' '}
        <Anchor component={PathLink} to={pathOn(surface, '/policies')} inherit underline="always">
          Policies
        </Anchor>
      </Text>
      <TextInput
        label="Key"
        description="Leave it empty to generate a key."
        placeholder="Generated"
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('key')}
      />
      <LicenseFields
        form={form}
        policyLimit={policy?.max_activations}
        emptyDate="An empty date follows from the policy; the license starts now."
      />
    </ResourceFormBody>
  );
}
