import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';

useClock();
const suite = useApp();
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await createTenant(suite.app, await createAdmin(suite.app));
});

interface ListedLicense {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly holder: Readonly<Record<'name' | 'email' | 'reference', string | null>>;
  readonly expires_at: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

type Filters = Readonly<Record<string, string>>;

// Few words, so that searches match: in several cases and scripts, some a prefix of another, some with punctuation.
const word = fc.constantFrom(
  'ann',
  'Anna',
  'ÄNN',
  'bob',
  'Bo-b',
  'bo',
  'weiß',
  'WEISS',
  'σ',
  'ΟΔΟΣ',
  '100%',
  '_x',
  '💥a',
);
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));
const moment = fc.constantFrom('2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z', '2099-01-01T00:00:00Z');
const metadataKey = fc.constantFrom('plan', 'Plan', 'seats', '__proto__x');
const metadataValue = fc.constantFrom<unknown>('gold', '5', 5, true, null, '', ['a'], { a: 1 });

const edit = fc.record(
  {
    holder: fc.record({
      name: fc.option(words),
      email: fc.option(fc.constantFrom('ann@bob.com', 'Bob@x-ann.org')),
      reference: fc.option(words),
    }),
    expires_at: fc.option(moment),
    metadata: fc.dictionary(metadataKey, metadataValue, { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);

const change = fc.record({
  /** The index of the changed license, modulo their number. */
  index: fc.nat(20),
  kind: fc.constantFrom(
    'create',
    'create',
    'create',
    'create',
    'edit',
    'edit',
    'suspend',
    'reinstate',
    'rotate-key',
    'delete',
  ),
  edit,
});

const filterNames = ['q', 'metadata', 'expires_before', 'expires_after', 'status'] as const;

const filters: fc.Arbitrary<Filters> = fc
  .record({
    names: fc.subarray([...filterNames], { minLength: 1, maxLength: 2 }),
    q: words.filter((text) => text.length >= 2),
    metadata: fc.tuple(metadataKey, fc.option(metadataValue, { nil: undefined })),
    expires_before: moment,
    expires_after: moment,
    status: fc.constantFrom('active', 'suspended', 'expired'),
  })
  .map(({ names, metadata: [key, value], ...values }) => {
    const metadata = { metadata_key: key, ...(value !== undefined && { metadata_value: textOf(value) }) };
    return Object.assign({}, ...names.map((name) => (name === 'metadata' ? metadata : { [name]: values[name] })));
  });

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// An independent implementation of what a search finds.
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/ς/g, 'σ');

function isFoundBy(license: ListedLicense, q: string): boolean {
  const texts = Object.values(license.holder).map((text) => plain(text ?? ''));
  return plain(q)
    .split(' ')
    .every((searched) => {
      const isStart = (text: string) =>
        [...text].some((_character, at) => {
          const [before, rest] = [[...text].slice(0, at).join(''), [...text].slice(at).join('')];
          const startsWord =
            before === '' || /\s$/.test(before) || (/[^\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(rest));
          return startsWord && rest.startsWith(searched);
        });
      return plain(license.key).startsWith(searched) || texts.some(isStart);
    });
}

function passes(license: ListedLicense, wanted: Filters): boolean {
  const { q, metadata_key, metadata_value, expires_before, expires_after, status } = wanted;
  const endMs = license.expires_at === null ? Number.NaN : Date.parse(license.expires_at);
  return [
    q === undefined || isFoundBy(license, q),
    metadata_key === undefined || Object.hasOwn(license.metadata, metadata_key),
    metadata_value === undefined || textOf(license.metadata[metadata_key ?? '']) === metadata_value,
    expires_before === undefined || endMs < Date.parse(expires_before),
    expires_after === undefined || endMs >= Date.parse(expires_after),
    status === undefined || license.status === status,
  ].every(Boolean);
}

async function listAll(query: Filters): Promise<ListedLicense[]> {
  const { body } = await tenant.asOwner('GET', `/licenses?${new URLSearchParams({ ...query, limit: '100' })}`);
  if (body.data === undefined) throw new Error(JSON.stringify(body));
  return body.data;
}

test('after random changes each filter returns exactly the matching licenses of the whole list', async () => {
  const { id: policy_id } = await newPolicy(tenant);
  const ids: string[] = [];
  const apply = async ({ index, kind, edit: fields }: { index: number; kind: string; edit: object }) => {
    const id = ids[index % Math.max(ids.length, 1)];
    if (kind === 'create' || id === undefined) {
      ids.push(created(await tenant.asOwner('POST', '/licenses', { policy_id, ...fields })).id);
    } else if (kind === 'edit') await tenant.asOwner('PUT', `/licenses/${id}`, fields);
    else if (kind === 'delete') {
      await tenant.asOwner('DELETE', `/licenses/${id}`);
      ids.splice(ids.indexOf(id), 1);
    } else await tenant.asOwner('POST', `/licenses/${id}/${kind}`);
  };
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 4, maxLength: 12 }),
      fc.array(filters, { minLength: 4, maxLength: 8 }),
      async (changes, queries) => {
        for (const one of changes) await apply(one);
        if (ids.length > 60)
          await Promise.all(ids.splice(0, 40).map((id) => tenant.asOwner('DELETE', `/licenses/${id}`)));
        const all = await listAll({});
        expect(all.length).toBe(ids.length);
        for (const query of queries) {
          const picked = all.filter((license) => passes(license, query)).map((license) => license.id);
          found += picked.length;
          expect((await listAll(query)).map((license) => license.id)).toEqual(picked);
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
  expect(found).toBeGreaterThan(50);
});
