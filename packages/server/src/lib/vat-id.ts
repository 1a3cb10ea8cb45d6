/** The countries of the European Union whose VAT ids allow a reverse charge, ISO 3166-1 alpha-2. */
export const euCountries: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

interface VatIdFormat {
  /** What the id starts with; for Greece it differs from the country's code. */
  readonly prefix: string;
  /** What follows the prefix. */
  readonly pattern: RegExp;
  readonly example: string;
}

/** The formats by country: the European Commission's for its members and Northern Ireland, and the neighbours' own. */
const formats: ReadonlyMap<string, readonly VatIdFormat[]> = new Map<string, readonly VatIdFormat[]>([
  ['AT', [{ prefix: 'AT', pattern: /^U\d{8}$/, example: 'ATU13585627' }]],
  ['BE', [{ prefix: 'BE', pattern: /^[01]\d{9}$/, example: 'BE0403019261' }]],
  ['BG', [{ prefix: 'BG', pattern: /^\d{9,10}$/, example: 'BG101004508' }]],
  ['CH', [{ prefix: 'CHE', pattern: /^\d{9}(MWST|TVA|IVA)?$/, example: 'CHE-123.456.788 MWST' }]],
  ['CY', [{ prefix: 'CY', pattern: /^\d{8}[A-Z]$/, example: 'CY10259033P' }]],
  ['CZ', [{ prefix: 'CZ', pattern: /^\d{8,10}$/, example: 'CZ25123891' }]],
  ['DE', [{ prefix: 'DE', pattern: /^[1-9]\d{8}$/, example: 'DE136695976' }]],
  ['DK', [{ prefix: 'DK', pattern: /^[1-9]\d{7}$/, example: 'DK13585628' }]],
  ['EE', [{ prefix: 'EE', pattern: /^10\d{7}$/, example: 'EE100931558' }]],
  ['ES', [{ prefix: 'ES', pattern: /^([A-Z]\d{7}[A-Z\d]|\d{8}[A-Z])$/, example: 'ESB58378431' }]],
  ['FI', [{ prefix: 'FI', pattern: /^\d{8}$/, example: 'FI20774740' }]],
  ['FR', [{ prefix: 'FR', pattern: /^[A-HJ-NP-Z\d]{2}\d{9}$/, example: 'FR40303265045' }]],
  [
    'GB',
    [
      { prefix: 'GB', pattern: /^(\d{9}|\d{12}|GD[0-4]\d{2}|HA[5-9]\d{2})$/, example: 'GB980780684' },
      { prefix: 'XI', pattern: /^(\d{9}|\d{12}|GD[0-4]\d{2}|HA[5-9]\d{2})$/, example: 'XI980780684' },
    ],
  ],
  ['GR', [{ prefix: 'EL', pattern: /^\d{9}$/, example: 'EL094259216' }]],
  ['HR', [{ prefix: 'HR', pattern: /^\d{11}$/, example: 'HR33392005961' }]],
  ['HU', [{ prefix: 'HU', pattern: /^\d{8}$/, example: 'HU12892312' }]],
  ['IE', [{ prefix: 'IE', pattern: /^(\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/, example: 'IE6433435F' }]],
  ['IT', [{ prefix: 'IT', pattern: /^\d{11}$/, example: 'IT00743110157' }]],
  ['LT', [{ prefix: 'LT', pattern: /^(\d{9}|\d{12})$/, example: 'LT119511515' }]],
  ['LU', [{ prefix: 'LU', pattern: /^\d{8}$/, example: 'LU15027442' }]],
  ['LV', [{ prefix: 'LV', pattern: /^\d{11}$/, example: 'LV40003521600' }]],
  ['MT', [{ prefix: 'MT', pattern: /^\d{8}$/, example: 'MT11679112' }]],
  ['NL', [{ prefix: 'NL', pattern: /^\d{9}B\d{2}$/, example: 'NL004495445B01' }]],
  ['NO', [{ prefix: 'NO', pattern: /^\d{9}(MVA)?$/, example: 'NO995525828MVA' }]],
  ['PL', [{ prefix: 'PL', pattern: /^\d{10}$/, example: 'PL8567346215' }]],
  ['PT', [{ prefix: 'PT', pattern: /^[1-9]\d{8}$/, example: 'PT501964843' }]],
  ['RO', [{ prefix: 'RO', pattern: /^[1-9]\d{1,9}$/, example: 'RO18547290' }]],
  ['SE', [{ prefix: 'SE', pattern: /^\d{10}\d{2}$/, example: 'SE123456789701' }]],
  ['SI', [{ prefix: 'SI', pattern: /^[1-9]\d{7}$/, example: 'SI50223054' }]],
  ['SK', [{ prefix: 'SK', pattern: /^\d{10}$/, example: 'SK2022749619' }]],
]);

/** A VAT id without separators and with its prefix, or the reason why it is not one: the end of a sentence. */
export type VatIdReading = { readonly vatId: string } | { readonly problem: string };

/** Removes spaces and the separators `.`, `-`, `/` and `_`, and converts to upper case. */
function compact(text: string): string {
  return text.replace(/[\s./_-]+/g, '').toUpperCase();
}

/** Returns the id with its prefix if the text has a format of the country; the prefix may be absent. */
function matchFormat(text: string, country: string): string | undefined {
  for (const { prefix, pattern } of formats.get(country) ?? []) {
    const own = text.startsWith(prefix) ? text.slice(prefix.length) : text;
    for (const rest of [own, text]) if (pattern.test(rest)) return prefix + rest;
  }
  return undefined;
}

/** Returns the country of an id that has the prefix and the format of another country than the given one. */
function foreignCountry(text: string, country: string | null): string | undefined {
  for (const [code, all] of formats) {
    if (code === country) continue;
    if (all.some(({ prefix, pattern }) => text.startsWith(prefix) && pattern.test(text.slice(prefix.length))))
      return code;
  }
  return undefined;
}

/**
 * Reads a tax id as a customer entered it. An id of a country with VAT ids must have its format; check digits are not
 * compared, like at Stripe. An id of any other country stays unchanged, unless it is a VAT id of another country.
 * `country` is that of the address, ISO 3166-1 alpha-2; null when there is no address.
 */
export function readVatId(text: string, country: string | null): VatIdReading {
  const id = compact(text);
  const formatsOfCountry = country === null ? undefined : formats.get(country);
  const foreign = foreignCountry(id, country);
  if (country === null) return foreign === undefined ? { vatId: text.trim() } : readVatId(text, foreign);
  if (formatsOfCountry === undefined) {
    return foreign === undefined
      ? { vatId: text.trim() }
      : { problem: `is a VAT ID of another country (${foreign}) than the address (${country})` };
  }
  const match = matchFormat(id, country);
  const example = formatsOfCountry[0]?.example;
  if (match === undefined) {
    return foreign === undefined
      ? { problem: `must be a VAT ID of the address's country (${country}), such as ${example}` }
      : { problem: `is a VAT ID of another country (${foreign}) than the address (${country})` };
  }
  return { vatId: match };
}

/** Returns whether a country has a value added tax with VAT ids, as far as their formats are known here. */
export function hasVat(country: string): boolean {
  return formats.has(country);
}

/** Returns whether a tax id is a valid VAT id of an EU country. Only its form is checked: no register is asked. */
export function isEuVatId(taxId: string | null, country: string): boolean {
  return taxId !== null && euCountries.has(country) && 'vatId' in readVatId(taxId, country);
}
