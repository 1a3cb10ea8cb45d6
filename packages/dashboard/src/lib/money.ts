/** Returns the number of decimal places of a currency: 2 for EUR, 0 for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    // The person is still typing the currency.
    return 2;
  }
}

/** Returns an amount in minor units as a decimal number of the currency: 4900 in EUR is 49. */
export function toMajor(amountMinor: number, currency: string): number {
  return amountMinor / 10 ** decimalsOf(currency);
}

/** Returns a decimal number of the currency in minor units, rounded to an integer: 49.9 in EUR is 4990. */
export function toMinor(amountMajor: number, currency: string): number {
  return Math.round(amountMajor * 10 ** decimalsOf(currency));
}

/** Returns a yearly price as a saving over twelve monthly ones in whole percent; 0 if it saves nothing. */
export function savingPercent(monthlyMinor: number, yearlyMinor: number): number {
  if (monthlyMinor <= 0) return 0;
  const monthlySum = monthlyMinor * 12;
  // Integers first: 1 - 0.8 is less than 0.2 in binary numbers.
  return Math.max(0, Math.floor(((monthlySum - yearlyMinor) * 100) / monthlySum));
}
