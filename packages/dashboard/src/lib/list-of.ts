/** Returns rows that are already loaded in the form in which `DataTable` expects a query. */
export function listOf<Row>(rows: readonly Row[]) {
  return {
    data: { data: rows, meta: { next_cursor: null } },
    error: null,
    isPlaceholderData: false,
    // Nothing to repeat: the screen's own query loaded the rows.
    refetch: () => Promise.reject(new Error('Rows that are part of another query are not read again.')),
  };
}
