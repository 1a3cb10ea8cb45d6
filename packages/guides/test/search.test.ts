import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFinder } from '../client/search-index.ts';

const index = join(import.meta.dirname, '..', 'dist', 'search-index.json');
const find = createFinder(JSON.parse(readFileSync(index, 'utf8')));

/** What people type, the page that they mean, and the rank that its first place may have. */
const ranks: readonly (readonly [query: string, page: string, rank: 1 | 3])[] = [
  ['floating', '/docs/models/floating/', 1],
  ['concurrent users', '/docs/models/floating/', 3],
  ['network license', '/docs/models/floating/', 3],
  ['hwid', '/docs/models/node-locked/', 1],
  ['node locked', '/docs/models/node-locked/', 1],
  ['machine fingerprint', '/docs/models/node-locked/', 1],
  ['golang', '/docs/sdks/go/', 1],
  ['go', '/docs/sdks/go/', 3],
  ['csharp', '/docs/sdks/c/', 3],
  ['C#', '/docs/sdks/c/', 3],
  ['.net', '/docs/sdks/c/', 3],
  ['c++', '/docs/sdks/c/', 1],
  ['unity', '/docs/sdks/other-languages/', 1],
  ['unreal', '/docs/sdks/other-languages/', 1],
  ['java', '/docs/sdks/other-languages/', 1],
  ['android', '/docs/sdks/other-languages/', 1],
  ['rust', '/docs/sdks/other-languages/', 1],
  ['php', '/docs/sdks/other-languages/', 1],
  ['dongle', '/docs/sdks/other-languages/', 1],
  ['python', '/docs/sdks/python/', 1],
  ['javascript', '/docs/sdks/typescript/', 1],
  ['electron', '/docs/electron/', 1],
  ['offline', '/docs/offline/', 1],
  ['offline activation', '/docs/offline/', 3],
  ['air gapped', '/docs/offline/', 1],
  ['air-gapped', '/docs/offline/', 1],
  ['trial', '/docs/models/trial/', 1],
  ['subscription', '/docs/models/subscription/', 1],
  ['webhook signature', '/docs/webhooks/', 1],
  ['keygen import', '/docs/migrating-from-keygen/', 1],
  ['cryptlex', '/docs/migrating-from-cryptlex/', 1],
  ['renew', '/docs/models/subscription/', 3],
  ['refund', '/docs/shops/', 3],
  ['stripe', '/docs/shops/stripe/', 1],
  ['paddle', '/docs/shops/paddle/', 1],
  ['usage based', '/docs/models/metered/', 3],
  ['feature flags', '/docs/', 3],
  ['clock', '/docs/offline/', 3],
  ['jwt', '/docs/offline/', 3],
  ['rate limit', '/docs/rate-limits/', 1],
  ['revoke a license', '/docs/reference/licenses/', 3],
  ['transfer license to another machine', '/docs/models/node-locked/', 3],
  ['how do I validate a license', '/docs/quickstart/', 3],
  ['LICENSE.EXPIRED', '/docs/errors/', 1],
  ['createLicense', '/docs/reference/licenses/', 1],
];

test.for(ranks)('“%s” finds %s at rank %i or before', ([query, page, rank]) => {
  const urls = find(query).map(({ document }) => document.url);
  expect(
    urls.slice(0, rank).some((url) => url.startsWith(page)),
    urls.slice(0, 8).join('\n'),
  ).toBe(true);
});

test('a word with synonyms finds what has the word or one of them, and every word of a query must be found', () => {
  const count = (query: string) => find(query).length;
  expect(count('concurrent')).toBeGreaterThanOrEqual(count('floating'));
  expect(count('golang webhook')).toBeLessThan(Math.min(count('golang'), count('webhook')));
});
