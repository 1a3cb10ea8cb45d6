// The currencies of ISO 4217 without two decimal places, as the service counts them. `Intl` has the places in daily use
// instead: 0 for HUF, although its minor unit is a hundredth.
const wholeUnits = new Set('bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'.split(' '));
const thousandths = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));

/** Returns the number of decimal places of a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  const code = currency.toLowerCase();
  if (wholeUnits.has(code)) return 0;
  return thousandths.has(code) ? 3 : 2;
}

/** Returns an amount in minor units as the text of a field, exactly: 4990 in EUR is `49.90`, in JPY `4990`. */
export function moneyText(amountMinor: number, currency: string): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amountMinor)).padStart(decimals + 1, '0');
  const sign = amountMinor < 0 ? '-' : '';
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-decimals)}`;
}

/**
 * Returns the minor units of an amount as people write it, exactly: `49.9` in EUR is 4990. Returns undefined for a text
 * that is not an amount of the currency, such as `1.5` in JPY.
 */
export function parseMoney(text: string, currency: string): number | undefined {
  // A comma before three digits may separate thousands, so it is refused.
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d+)(?:(?:\.|,(?!\d{3}$))(\d*))?$/.exec(text.trim()) ?? [];
  const places = decimalsOf(currency);
  if (whole === '' || decimals.length > places) return undefined;
  const amount = Number(`${sign}${whole}${decimals.padEnd(places, '0')}`);
  // A negative zero is a zero.
  return Number.isSafeInteger(amount) ? amount + 0 : undefined;
}

/** Validates a typed amount, which must be above zero in its currency; returns an error message or null. */
export function problemOfMoney(text: string, currency: string): string | null {
  if (text.trim() === '') return 'Enter an amount.';
  const amount = parseMoney(text, currency);
  if (amount !== undefined) return amount > 0 ? null : 'Enter an amount above zero.';
  return `Enter an amount such as ${moneyText(12_345_678, currency)}, without thousands separators.`;
}

/** Returns a yearly price as a saving over twelve monthly ones in whole percent; 0 if it saves nothing. */
export function savingPercent(monthlyMinor: number, yearlyMinor: number): number {
  if (monthlyMinor <= 0) return 0;
  const monthlySum = monthlyMinor * 12;
  // Integers first: 1 - 0.8 is less than 0.2 in binary numbers.
  return Math.max(0, Math.floor(((monthlySum - yearlyMinor) * 100) / monthlySum));
}
