/** Types a row that was read with `include=details`: the service then sends every field. */
export function detailed<Row extends object>(row: Row): Required<Row> {
  return row as Required<Row>;
}
