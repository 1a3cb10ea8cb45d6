/** Returns the start of a day in the reader's time zone, or of the day after. */
function startOfDay(day: string, daysLater = 0): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + daysLater);
  return date.toISOString();
}

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Returns the service's filters for days of the search parameters, both inclusive. */
export function dayRange({ from, to }: Days): { from?: string; to?: string } {
  return { ...(from !== undefined && { from: startOfDay(from) }), ...(to !== undefined && { to: startOfDay(to, 1) }) };
}
