import { describe, expect, test } from 'vitest';
import { euCountries, readVatId } from './vat-id.ts';

/** Published ids of companies and authorities, or examples of the documentation of the formats. */
const valid = [
  ['AT', 'ATU13585627'],
  ['BE', 'BE0403019261'],
  ['BG', 'BG101004508'],
  ['CH', 'CHE123456788MWST'],
  ['CY', 'CY10259033P'],
  ['CZ', 'CZ25123891'],
  ['DE', 'DE136695976'],
  ['DK', 'DK13585628'],
  ['EE', 'EE100931558'],
  ['ES', 'ESB58378431'],
  ['FI', 'FI20774740'],
  ['FR', 'FR40303265045'],
  ['FR', 'FRK7399859412'],
  ['GB', 'GB980780684'],
  ['GB', 'XI980780684'],
  ['GR', 'EL094259216'],
  ['HR', 'HR33392005961'],
  ['HU', 'HU12892312'],
  ['IE', 'IE6433435F'],
  ['IE', 'IE6433435OA'],
  ['IE', 'IE8D79739I'],
  ['IT', 'IT00743110157'],
  ['LT', 'LT119511515'],
  ['LU', 'LU15027442'],
  ['LV', 'LV40003521600'],
  ['MT', 'MT11679112'],
  ['NL', 'NL004495445B01'],
  ['NO', 'NO995525828MVA'],
  ['PL', 'PL8567346215'],
  ['PT', 'PT501964843'],
  ['RO', 'RO18547290'],
  ['SE', 'SE123456789701'],
  ['SI', 'SI50223054'],
  ['SK', 'SK2022749619'],
] as const;

describe('readVatId', () => {
  test('readVatId knows the format of every EU country', () => {
    expect(euCountries.size).toBe(27);
    expect([...euCountries].filter((country) => !valid.some(([known]) => known === country))).toEqual([]);
  });

  test.each(valid)('an id of %s, %s, is valid, whatever its separators and its case', (country, id) => {
    expect(readVatId(id, country)).toEqual({ vatId: id });
    expect(readVatId(` ${id.slice(0, 4).toLowerCase()} ${id.slice(4, 6)}.${id.slice(6)} `, country)).toEqual({
      vatId: id,
    });
    expect(readVatId(id, null)).toEqual({ vatId: id });
  });

  test.each([
    ['DE', '136695976', 'DE136695976'],
    ['GR', '094259216', 'EL094259216'],
    ['CH', '123.456.788', 'CHE123456788'],
    ['AT', 'U13585627', 'ATU13585627'],
    ['FR', 'FR40303265045', 'FR40303265045'],
  ])('in %s, the id %s may lack its prefix', (country, text, vatId) => {
    expect(readVatId(text, country)).toEqual({ vatId });
  });

  test.each([
    ['DE', 'DE12345', /must be a VAT ID of .*\(DE\), such as DE136695976/],
    ['DE', 'nonsense', /must be a VAT ID of/],
    ['AT', 'AT13585627', /must be a VAT ID of/],
    ['FR', 'FRI1303265045', /must be a VAT ID of/],
    ['DE', 'ATU13585627', /of another country \(AT\) than the address \(DE\)/],
    ['US', 'DE136695976', /of another country \(DE\) than the address \(US\)/],
    ['GR', 'GR094259216', /must be a VAT ID of .*\(GR\), such as EL094259216/],
    ['IE', 'EL094259216', /of another country \(GR\) than the address \(IE\)/],
  ])('with an address in %s, %s is refused', (country, id, problem) => {
    expect(readVatId(id, country)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test('the tax id of a country without VAT ids stays as it is', () => {
    expect(readVatId(' 12-3456789 ', 'US')).toEqual({ vatId: '12-3456789' });
    expect(readVatId('12-3456789', null)).toEqual({ vatId: '12-3456789' });
  });
});
