import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tenantQuery, tenantsQuery } from '../api/tenants.ts';
import { useFilter } from './FilterBar.tsx';
import { Dimmed } from './Texts.tsx';

interface TenantSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  readonly value: string | undefined;
  readonly onChange: (tenantId: string | undefined) => void;
}

const offered = 10;
const typingPauseMs = 250;
/** The service searches for at least so many characters. */
const searchMin = 2;

/** A field that chooses a tenant. The server searches by name and id while the person types. */
export function TenantSelect({ value, onChange, ...props }: TenantSelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), typingPauseMs);
  const { data: chosen } = useQuery({ ...tenantQuery(value ?? ''), enabled: value !== undefined });
  // The text of the chosen option is not a search.
  const isSearch = search.length >= searchMin && search !== chosen?.name;
  const { data: page } = useQuery(tenantsQuery({ limit: offered, ...(isSearch && { q: search }) }));
  const others = (page?.data ?? []).filter(({ id }) => id !== value);
  const options =
    value === undefined
      ? others
      : [{ id: value, name: chosen?.name ?? value, plan_code: chosen?.plan_code }, ...others];
  const planOf = new Map(options.map(({ id, plan_code }) => [id, plan_code]));
  return (
    <Select
      data={options.map(({ id, name }) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      // Tenants may have the same name.
      renderOption={({ option }) => (
        <div>
          {option.label} <Dimmed>{planOf.get(option.value)}</Dimmed>
        </div>
      )}
      searchable
      // The list would cover the message about a wrong value that gets the focus.
      openOnFocus={false}
      searchValue={typed}
      onSearchChange={setTyped}
      // The server has filtered.
      filter={({ options: all }) => all}
      nothingFoundMessage="No tenant has this name."
      clearable
      clearButtonProps={{ 'aria-label': 'Clear the tenant' }}
      {...props}
    />
  );
}

/** The filter of a list by tenant. */
export function TenantFilter() {
  const [value, change] = useFilter('tenant_id');
  return (
    <TenantSelect
      aria-label="Tenant"
      placeholder="Tenant"
      w={{ base: '100%', xs: 220 }}
      value={value}
      onChange={change}
    />
  );
}
