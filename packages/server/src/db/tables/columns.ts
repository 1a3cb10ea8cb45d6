/**
 * The rows of both engines. Portable columns only: text ids, text timestamps, 0/1 integers,
 * 64-bit integers as numbers, JSON as text (columns that end in `_json`).
 */
export type Flag = 0 | 1;
