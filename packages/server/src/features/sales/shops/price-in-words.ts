/**
 * Returns a price for people: `USD 49.00 per year`, `EUR 9.00 every 3 months`. `interval`: the unit of the period in English;
 * null for a price that is paid once.
 */
export function priceInWords(money: string, interval: string | null, count: number | null): string {
  if (interval === null) return money;
  return count === null || count === 1 ? `${money} per ${interval}` : `${money} every ${count} ${interval}s`;
}
