import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tenantQuery, tenantsQuery } from '../../api/tenants.ts';

interface TenantSelectProps {
  readonly value: string | undefined;
  readonly onChange: (tenantId: string | undefined) => void;
}

const offered = 10;
const typingPauseMs = 250;
/** The service searches for at least so many characters. */
const searchMin = 2;

/** A field for a tenant, found by its name or id on the server. */
export function TenantSelect({ value, onChange }: TenantSelectProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), typingPauseMs);
  const { data: chosen } = useQuery({ ...tenantQuery(value ?? ''), enabled: value !== undefined });
  const isSearch = search.length >= searchMin && search !== chosen?.name;
  const { data: page } = useQuery(tenantsQuery({ limit: offered, ...(isSearch && { q: search }) }));
  const rows = page?.data ?? [];
  const others = rows.filter(({ id }) => id !== chosen?.id);
  const options = [...(chosen === undefined ? [] : [chosen]), ...others];
  return (
    <Select
      label="Tenant"
      placeholder="Search by name or id"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear the tenant' }}
      data={options.map(({ id, name, plan_code: plan }) => ({ value: id, label: `${name} (${plan})` }))}
      // The server searches; what it returned is offered as it is.
      filter={({ options: found }) => found}
      nothingFoundMessage="No tenant has this name."
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchValue={typed}
      onSearchChange={setTyped}
    />
  );
}
