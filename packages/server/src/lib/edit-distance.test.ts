import { expect, test } from 'vitest';
import { editDistance } from './edit-distance.ts';

test.each([
  ['', '', 0],
  ['APPKEY', 'APPKEY', 0],
  ['', 'KEY', 3],
  ['KITTEN', 'SITTING', 3],
  ['DATABASEULR', 'DATABASEURL', 1],
  // A letter that was swapped is not edited again: an unrestricted distance would be 2.
  ['CA', 'ABC', 3],
])('%s and %s are %i edits apart', (one, other, edits) => {
  expect(editDistance(one, other, 3)).toBe(edits);
  expect(editDistance(other, one, 3)).toBe(edits);
});

test('a distance above the maximum is infinite, and one at the maximum is exact', () => {
  expect(editDistance('KITTEN', 'SITTING', 2)).toBe(Number.POSITIVE_INFINITY);
  expect(editDistance('XAB', 'ABX', 1)).toBe(Number.POSITIVE_INFINITY);
  // Every alignment of the second row has an edit; the swap ends in the third.
  expect(editDistance('ABDC', 'ABCD', 1)).toBe(1);
  expect(editDistance('BA', 'AB', 1)).toBe(1);
});
