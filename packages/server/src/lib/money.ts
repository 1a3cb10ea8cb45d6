// The currencies of ISO 4217 without two decimal places. `Intl` has the places in daily use instead: 0 for `huf`, whose
// minor unit is a hundredth.
const wholeUnits = new Set('bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'.split(' '));
const thousandths = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));

/** Returns the number of decimal places of a currency (ISO 4217): 2 for `usd`, 0 for `jpy`, 3 for `kwd`. */
export function minorUnitDigits(currency: string): number {
  const code = currency.toLowerCase();
  if (wholeUnits.has(code)) return 0;
  return thousandths.has(code) ? 3 : 2;
}

type Display = 'code' | 'narrowSymbol';

const formats = new Map<string, Intl.NumberFormat>();

function formatFor(currency: string, currencyDisplay: Display): Intl.NumberFormat {
  const key = `${currencyDisplay} ${currency}`;
  let format = formats.get(key);
  if (format === undefined) {
    const digits = minorUnitDigits(currency);
    const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay, ...places });
    formats.set(key, format);
  }
  return format;
}

/**
 * Formats an amount in minor units for people: 2900 `usd` becomes `USD 29.00`, or `$29.00` with `narrowSymbol`. Exact for
 * every safe integer.
 */
export function formatMoney(amount: number, currency: string, display: Display = 'code'): string {
  const digits = minorUnitDigits(currency);
  const units = String(Math.abs(amount)).padStart(digits + 1, '0');
  const whole = units.slice(0, units.length - digits);
  const sign = amount < 0 ? '-' : '';
  const decimal = digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${units.slice(-digits)}`;
  return formatFor(currency, display)
    .format(decimal as Intl.StringNumericLiteral)
    .replaceAll('\u00a0', ' ');
}
