import { Select, type SelectProps } from '@mantine/core';
import { countryOptions } from '../lib/countries.ts';

const options = countryOptions();

/** A field for a country; its value is the ISO code. */
export function CountrySelect(props: Omit<SelectProps, 'data'>) {
  return (
    <Select
      data={options}
      searchable
      nothingFoundMessage="No country has this name."
      autoComplete="country"
      maxDropdownHeight={260}
      {...props}
    />
  );
}
