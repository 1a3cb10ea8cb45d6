/** The monthly recurring revenue in one currency on one day. */
export interface RevenueDaysTable {
  /** The day in UTC: `2026-11-20`. */
  day: string;
  /** The ISO 4217 code, in lower case. */
  currency: string;
  /** In the currency's minor unit. */
  amount: number;
}
