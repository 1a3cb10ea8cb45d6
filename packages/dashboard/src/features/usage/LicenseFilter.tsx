import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { licenseOptionsQuery } from '../../api/licenses-of.ts';
import { truncateMiddle } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';

interface LicenseFilterProps {
  readonly value: string | undefined;
  readonly onChange: (licenseId: string | undefined) => void;
}

/** A filter for one license, which the service finds by key, holder or reference. */
export function LicenseFilter({ value, onChange }: LicenseFilterProps) {
  const surface = useSurface();
  const [typed, setTyped] = useState('');
  const [words] = useDebouncedValue(typed.includes('·') ? '' : typed.trim(), 250);
  const { data } = useQuery(licenseOptionsQuery(surface, words));
  const options = (data?.data ?? []).map(({ id, key, holder }) => ({
    value: id,
    label: `${holder.name ?? holder.email ?? 'No holder'} · ${truncateMiddle(key, 14)}`,
  }));
  const isListed = value === undefined || options.some((one) => one.value === value);
  return (
    <Select
      aria-label="License"
      placeholder="License"
      data={isListed ? options : [{ value, label: `License ${truncateMiddle(value, 12)}` }, ...options]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      onSearchChange={setTyped}
      // The service has searched already.
      filter={({ options: all }) => all}
      nothingFoundMessage="No license matches"
      clearable
      clearButtonProps={{ 'aria-label': 'Clear License' }}
      w={{ base: '100%', xs: 240 }}
    />
  );
}
