import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tenantChoicesQuery } from '../../api/commerce.ts';
import { tenantQuery } from '../../api/tenants.ts';

interface TenantSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  readonly value: string | null;
  readonly onChange: (tenantId: string | null) => void;
}

const typingPauseMs = 250;

/** A field that chooses a tenant. The server searches while the person types. */
export function TenantSelect({ value, onChange, ...props }: TenantSelectProps) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, typingPauseMs);
  const chosen = useQuery({ ...tenantQuery(value ?? ''), enabled: value !== null });
  const nameOfChosen = chosen.data?.name;
  // The text of the chosen option is not a search.
  const choices = useQuery(tenantChoicesQuery(q === nameOfChosen ? '' : q.trim()));
  const options = (choices.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isListed = options.some((option) => option.value === value);
  const data = value === null || isListed ? options : [{ value, label: nameOfChosen ?? value }, ...options];
  return (
    <Select
      data={data}
      value={value}
      onChange={onChange}
      searchable
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

interface TenantFilterProps {
  readonly value: string | undefined;
  readonly onChange: (tenantId: string | undefined) => void;
}

/** The filter of a list by tenant. */
export function TenantFilter({ value, onChange }: TenantFilterProps) {
  return (
    <TenantSelect
      aria-label="Tenant"
      placeholder="Tenant"
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      w={{ base: '100%', xs: 220 }}
    />
  );
}
