import { expect, test } from 'vitest';
import { countryCodes } from '../../../server/src/lib/countries.ts';
import { countryOptions } from './countries.ts';

test('the field for a country offers exactly the countries that the service accepts, by their names', () => {
  const options = countryOptions();
  expect(options.map(({ value }) => value).sort()).toEqual([...countryCodes].sort());
  expect(options.find(({ value }) => value === 'DE')?.label).toBe('Germany');
});
