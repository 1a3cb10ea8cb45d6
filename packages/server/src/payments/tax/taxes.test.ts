import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { percentageOf, type TaxLocation, type TaxRules, taxesOf } from './taxes.ts';

const rules: TaxRules = {
  sellerCountry: 'DE',
  rates: new Map([
    ['DE', 19],
    ['AT', 20],
    ['CH', 8.1],
  ]),
};

describe('taxesOf', () => {
  const at = (country: string | null, taxId: string | null = null): TaxLocation => ({ country, taxId });

  test.each([
    ['a consumer of the own country pays its rate', at('DE'), 19, 'standard', 190],
    ['a consumer of another EU country pays that country’s rate', at('AT'), 20, 'standard', 200],
    ['a country outside the EU may have a rate with decimal places', at('CH'), 8.1, 'standard', 81],
    ['a business of another EU country owes the tax itself', at('AT', 'ATU13585627'), 0, 'reverse_charge', 0],
    ['so does one of an EU country without a rate', at('FR', 'fr 40 303 265 045'), 0, 'reverse_charge', 0],
    ['the prefix EL is that of Greece', at('GR', 'EL094259216'), 0, 'reverse_charge', 0],
    ['a business of the own country pays the rate', at('DE', 'DE136695976'), 19, 'standard', 190],
    ['a VAT id of another country changes nothing', at('AT', 'DE136695976'), 20, 'standard', 200],
    ['a VAT id without its format changes nothing', at('AT', 'ATU1358562'), 20, 'standard', 200],
    ['a Swiss VAT id is not one of the EU', at('CH', 'CHE-123.456.788 MWST'), 8.1, 'standard', 81],
    ['a VAT id of Northern Ireland is not one of the EU for services', at('GB', 'XI980780684'), 0, 'not_collected', 0],
    ['a country without a rate is not taxed', at('US'), 0, 'not_collected', 0],
    ['an unknown country is not taxed', at(null), 0, 'not_collected', 0],
  ] as const)('%s', (_title, location, ratePercent, treatment, amount) => {
    expect(taxesOf(1000, location, rules)).toEqual([
      { country: location.country, ratePercent, treatment, base: 1000, amount },
    ]);
  });

  test('a customer without details is not taxed', () => {
    expect(taxesOf(1000, null, rules)).toMatchObject([{ country: null, treatment: 'not_collected', amount: 0 }]);
  });

  test('no seller country or no rates apply no tax at all', () => {
    expect(taxesOf(1000, at('DE'), { ...rules, sellerCountry: null })).toEqual([]);
    expect(taxesOf(1000, at('DE'), { ...rules, rates: new Map() })).toEqual([]);
  });
});

describe('percentageOf', () => {
  test.each([
    [50, 1, 1],
    [49, 1, 0],
    [-50, 1, -1],
    [-49, 1, 0],
    [1, 50, 1],
    [1005, 10, 101],
    [Number.MAX_SAFE_INTEGER, 100, Number.MAX_SAFE_INTEGER],
    [999_999_999_999_999, 8.1, 81_000_000_000_000],
    [10_000, 8.8875, 889],
    [1000, 0.0001, 0],
  ])('%d at %d %% is %d', (amount, percent, expected) => {
    expect(percentageOf(amount, percent)).toBe(expected);
  });

  test('the tax is the nearest integer to the exact quotient, and mirrors for negative amounts', () => {
    const amounts = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    const rates = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(amounts, rates, (amount, units) => {
        const tax = percentageOf(amount, units / 10_000);
        const error = BigInt(tax) * 1_000_000n - BigInt(amount) * BigInt(units);
        expect(error > -500_000n && error <= 500_000n).toBe(true);
        expect(percentageOf(-amount, units / 10_000) + tax).toBe(0);
      }),
    );
  });
});
