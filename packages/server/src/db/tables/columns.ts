/**
 * The rules of portable columns. Both engines have the same tables, so every column has one of these types:
 *
 * - Ids are `text`: UUIDs of version 7 in lower case, which sort by creation time.
 * - Moments are `text` in the format of `Timestamp`: UTC with microseconds in a fixed width, so they sort as text.
 * - Flags are `integer` with the values 0 and 1 (`Flag`), with a CHECK.
 * - Numbers are `bigint` or `integer`. Both engines return them as JavaScript numbers and throw beyond 2^53 - 1.
 * - Structured values are JSON as `text`, in columns whose name ends in `_json`.
 * - Values of a fixed set are `text` with a CHECK.
 */
export type Flag = 0 | 1;
