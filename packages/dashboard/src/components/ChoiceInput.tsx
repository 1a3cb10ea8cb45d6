import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { policyChoicesQuery, policyQuery, productChoicesQuery, productQuery } from '../api/tenant-catalog.ts';
import { useSurface } from '../shell/surface-context.ts';
import { shortFilter, useFilter } from './FilterBar.tsx';
import { useLateList } from './use-late-list.ts';

interface ChoiceInputProps extends Omit<SelectProps, 'data' | 'searchable' | 'searchValue' | 'value' | 'onChange'> {
  readonly value?: string | null;
  readonly onChange?: (id: string | null) => void;
}

const typingPauseMs = 200;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A choice among named things; the server searches while the person types. */
function SearchedSelect(
  props: ChoiceInputProps & {
    readonly found: readonly Named[];
    readonly chosen: Named | undefined;
    readonly onSearch: (text: string) => void;
    readonly isLoading: boolean;
  },
) {
  const { found, chosen, onSearch, isLoading, onFocus, ...rest } = props;
  const list = useLateList();
  const all = chosen !== undefined && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
  return (
    <Select
      {...rest}
      comboboxProps={list.comboboxProps}
      onFocus={(event) => {
        list.onFocus();
        onFocus?.(event);
      }}
      // A refused form moves the focus here, and an open list would cover the reason.
      openOnFocus={false}
      data={all.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      onSearchChange={onSearch}
      // The server has searched already, and finds by code as well.
      filter={({ options }) => options}
      nothingFoundMessage={isLoading ? 'Searching…' : 'No results'}
    />
  );
}

/** The text that the server searches for; empty while the box shows the chosen name. */
function useSearchText(chosen: Named | undefined) {
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed.trim(), typingPauseMs);
  return [text === chosen?.name ? '' : text, setTyped] as const;
}

/** A choice of a product; `archived`: also of archived ones. */
export function ProductInput({ archived, ...props }: ChoiceInputProps & { readonly archived?: 'all' }) {
  const surface = useSurface();
  const { data: chosen } = useQuery({ ...productQuery(surface, props.value ?? ''), enabled: Boolean(props.value) });
  const [text, setTyped] = useSearchText(chosen);
  const { data = [], isFetching } = useQuery(productChoicesQuery(surface, text, archived));
  return <SearchedSelect {...props} found={data} chosen={chosen} onSearch={setTyped} isLoading={isFetching} />;
}

/** A choice of one product; empty means all products. */
export function ProductOrAllInput(props: Parameters<typeof ProductInput>[0]) {
  return (
    <ProductInput
      label="Product"
      placeholder="All products"
      clearable
      clearButtonProps={{ 'aria-label': 'Clear Product' }}
      {...props}
    />
  );
}

/** The filter of a list by product. `onChange` replaces the change of the filter. */
export function ProductFilter({ onChange }: Pick<ChoiceInputProps, 'onChange'>) {
  const [value, change] = useFilter('product_id');
  return (
    <ProductInput
      archived="all"
      aria-label="Product"
      placeholder="Product"
      clearable
      clearButtonProps={{ 'aria-label': 'Clear Product' }}
      value={value ?? null}
      onChange={onChange ?? ((id) => change(id ?? undefined))}
      className={shortFilter}
    />
  );
}

/** A choice of a policy, of one product if `productId` is given. */
export function PolicyInput({ productId, ...props }: ChoiceInputProps & { readonly productId?: string | undefined }) {
  const surface = useSurface();
  const { data: chosen } = useQuery({ ...policyQuery(surface, props.value ?? ''), enabled: Boolean(props.value) });
  const [text, setTyped] = useSearchText(chosen);
  const { data = [], isFetching } = useQuery(policyChoicesQuery(surface, productId, text));
  return <SearchedSelect {...props} found={data} chosen={chosen} onSearch={setTyped} isLoading={isFetching} />;
}
