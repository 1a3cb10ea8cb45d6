import { expect, test } from 'vitest';
import { countText } from './ListPages.tsx';

test.for([
  [{ rows: 25, before: 0, total: 53, hasMore: true }, '1–25 of 53'],
  [{ rows: 25, before: 25, total: 53, hasMore: true }, '26–50 of 53'],
  [{ rows: 3, before: 50, total: 53, hasMore: false }, '51–53 of 53'],
  [{ rows: 25, before: 0, total: null, hasMore: true }, '25 or more'],
  [{ rows: 25, before: 25, total: null, hasMore: true }, '26–50 of 50 or more'],
  [{ rows: 7, before: 0, total: 7, hasMore: false }, '1–7 of 7'],
  [{ rows: 7, before: 0, total: null, hasMore: false }, ''],
  [{ rows: 25, before: undefined, total: 53, hasMore: true }, '25 of 53'],
  [{ rows: 25, before: undefined, total: null, hasMore: true }, ''],
  // The counter is older than the page.
  [{ rows: 25, before: 0, total: 12, hasMore: true }, '25 or more'],
] as const)('a page %j says "%s"', ([page, text]) => {
  expect(countText(page)).toBe(text);
});
