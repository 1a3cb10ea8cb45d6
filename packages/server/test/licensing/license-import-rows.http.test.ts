import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { defineEntitlements, newPolicy, newProduct } from '../support/licensing-catalog.ts';
import { csv, expectNothingWritten, ndjson, type SentFile, sendFile } from './license-files.ts';

const suite = useTenant();
let policy: { readonly id: string };

beforeAll(async () => {
  policy = await newPolicy(suite.tenant, { code: 'yearly', duration_days: 365 });
  await defineEntitlements(suite.tenant, { export: 'metered', a: 'boolean' });
});

const importFile = (payload: string | Buffer, sent: SentFile = {}) => sendFile(suite.app, suite.tenant, payload, sent);

async function licenseOf(key: string) {
  const { body } = await suite.tenant.asOwner('GET', `/licenses?key=${key}`);
  return body.data[0];
}

const dates = {
  starts_at: '2026-01-01T00:00:00.000000Z',
  expires_at: '2030-01-01T00:00:00.000000Z',
  maintenance_expires_at: '2029-01-01T00:00:00.000000Z',
};
const rest = { max_activations: 7, entitlements: [{ code: 'export', limit: 5 }], metadata: { note: 'a, "b"' } };
const holder = { name: 'Ada', email: 'ada@example.com', reference: 'crm-1' };

describe('import rows', () => {
  test('a CSV row can contain every field of POST /licenses, and a status', async () => {
    const columns = [...Object.keys(dates), ...Object.keys(rest), 'holder_name', 'holder_email', 'holder_reference'];
    const cells = [
      ...Object.values(dates),
      '7',
      '"[{""code"":""export"",""limit"":5}]"',
      '"{""note"":""a, \\""b\\""""}"',
      'Ada',
      'ada@example.com',
      'crm-1',
    ];
    const answer = await importFile(
      csv(`policy,key,status,${columns.join(',')}`, `yearly,CSV-1,suspended,${cells.join(',')}`),
    );
    expect([answer.status, answer.body.data]).toEqual([200, { created: 1, failed: 0, errors: [] }]);
    expect(await licenseOf('CSV-1')).toMatchObject({
      ...dates,
      ...rest,
      holder,
      status: 'suspended',
      policy_id: policy.id,
    });
  });

  test('an NDJSON row can have the shape of the API or that of the columns', async () => {
    const answer = await importFile(
      ndjson(
        { policy_id: policy.id, key: 'JSON-1', ...dates, ...rest, holder, status: 'revoked' },
        { policy: 'yearly', key: 'JSON-2', holder_name: 'Ada', expires_at: null },
      ),
      { type: 'application/x-ndjson' },
    );
    expect(answer.body.data).toEqual({ created: 2, failed: 0, errors: [] });
    expect(await licenseOf('JSON-1')).toMatchObject({ ...dates, ...rest, holder, status: 'revoked' });
    expect(await licenseOf('JSON-2')).toMatchObject({ holder: { name: 'Ada' }, expires_at: null, status: 'active' });
  });

  test('a row without key and dates gets a generated key and the dates of its policy', async () => {
    expect((await importFile(csv('policy,holder_reference,key', 'yearly,little,'))).status).toBe(200);
    const { body } = await suite.tenant.asOwner('GET', '/licenses?holder_reference=little');
    const [license] = body.data;
    expect(license).toMatchObject({ key: expect.stringMatching(/^(\w{5}-){4}\w{5}$/), expires_at: expect.any(String) });
    expect(license.starts_at).toBe(license.created_at);
  });

  test.for([
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ] as const)('a file whose cells are separated by %s is read like one with commas', async ([separator, name]) => {
    const lines = [
      ['policy', 'key', 'holder_name'],
      ['yearly', `SEP-${name}`, 'Lovelace, Ada'],
    ];
    const file = lines.map((cells) => cells.join(separator)).join('\r\n');
    const answer = await importFile(`\uFEFF${file}`);
    expect(answer.body.data).toMatchObject({ created: 1, failed: 0 });
    expect(await licenseOf(`SEP-${name}`)).toMatchObject({ holder: { name: 'Lovelace, Ada' } });
  });

  test.for(['vera@northwind', 'vera@.com', 'vera@a.', 'vera@@a.b', 've ra@a.b'])(
    'the address %s of a holder is refused in words, by a form and by a file',
    async (email) => {
      const message = 'Enter an email address such as ada@example.com.';
      const made = await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, holder: { email } });
      expect(made.body.error.details).toEqual([{ field: 'holder.email', message }]);
      const file = await importFile(csv('policy,holder_email', `yearly,${email}`));
      expect(file.body.error.details).toEqual([{ row: 1, field: 'holder_email', message }]);
      const invited = await suite.tenant.asOwner('POST', '/members', { email, role: 'viewer' });
      expect([invited.status, invited.body.error.details[0].field]).toEqual([422, 'email']);
    },
  );

  test.each([
    ['expires_at', 'null', null],
    ['expires_at', '', expect.any(String)],
    ['expires_at', '2031-05-05T05:05:05+02:00', '2031-05-05T03:05:05.000000Z'],
    ['holder_name', "'=1+1", '=1+1'],
    ['holder_name', "'t Hooft", "'t Hooft"],
    ['holder_name', ' two  spaces ', ' two  spaces '],
    ['holder_name', '"line\nfeed, ""quoted"""', 'line\nfeed, "quoted"'],
  ])('a row with the cell %s = %j is imported as %j', async (column, cell, expected) => {
    const key = `CELL-${newId()}`;
    expect((await importFile(csv(`policy,key,${column}`, `yearly,${key},${cell}`))).status).toBe(200);
    const { holder: found, ...license } = await licenseOf(key);
    expect(column === 'holder_name' ? found.name : license[column]).toEqual(expected);
  });

  test.each([
    ['carriage returns and line feeds', 'policy,key\r\nyearly,%\r\n'],
    ['carriage returns', 'policy,key\ryearly,%\r'],
    ['no line feed at the end', 'policy,key\nyearly,%'],
    ['a byte order mark', '\ufeffpolicy,key\nyearly,%\n'],
    ['empty lines', 'policy,key\n\nyearly,%\n\n\n'],
    ['read-only columns', 'policy,key,id,activations_count,created_at\nyearly,%,x,y,z\n'],
  ])('rows are read from a file with %s', async (_what, file) => {
    const key = `FORM-${newId()}`;
    expect((await importFile(file.replace('%', key))).body.data).toEqual({ created: 1, failed: 0, errors: [] });
    expect(await licenseOf(key)).toMatchObject({ key });
  });

  test('a row must name its product when several products have a policy with its code', async () => {
    const [first, second] = [await newProduct(suite.tenant), await newProduct(suite.tenant)];
    const code = newId();
    const policies = [
      await newPolicy(suite.tenant, { product_id: first.id, code }),
      await newPolicy(suite.tenant, { product_id: second.id, code }),
    ];
    const keys = [newId(), newId()];
    const file = csv('policy,product,key', `${code},${first.code},${keys[0]}`, `${code},${second.id},${keys[1]}`);
    expect((await importFile(file)).status).toBe(200);
    const found = await Promise.all(keys.map(licenseOf));
    expect(found.map(({ policy_id }) => policy_id)).toEqual(policies.map(({ id }) => id));
    const ambiguous = await importFile(csv('policy', code));
    expect(ambiguous.body.error.details).toEqual([
      { row: 1, field: 'product', message: 'Enter the product, because policies of several products have this code.' },
    ]);
  });
});

const timestampMessage =
  'Enter a date such as 2026-12-01, or a date and time such as 2026-11-20T17:42:00Z, in the years 1970 to 9999.';
type Bad = readonly [what: string, file: string | Buffer, row: number, field: string, message: string | RegExp];

const badCsv: readonly Bad[] = [
  ['no content', '', 0, 'header', 'The header is missing. The first row names the columns.'],
  ['an unknown column', csv('policy,nmae', 'yearly,x'), 0, 'nmae', /^This column is unknown/],
  [
    'a repeated column',
    csv('policy,key,key', 'yearly,a,b'),
    0,
    'key',
    'The header names this column twice. Name it once.',
  ],
  ['no policy column', csv('key', 'x'), 0, 'policy', 'This column is missing. Add a column policy or policy_id.'],
  ['another separator', csv('policy|key', 'yearly|x'), 0, 'policy|key', /^This column is unknown/],
  ['too few cells', csv('policy,key', 'yearly,a', 'yearly'), 2, 'row', 'The row has 1 cells, but the header has 2.'],
  ['too many cells', csv('policy,key', 'yearly,a,b'), 1, 'row', 'The row has 3 cells, but the header has 2.'],
  [
    'a quote that is not closed',
    csv('policy,key', 'yearly,a', 'yearly,"b'),
    2,
    'row',
    'The row has a quote that is never closed.',
  ],
  ['a quote inside a cell', csv('policy,key', 'yearly,a"b'), 1, 'row', /^A cell without quotes contains a quote/],
  [
    'a row above 1 MiB',
    csv('policy,key', 'yearly,a', `yearly,"${'x'.repeat(1_100_000)}`),
    2,
    'row',
    /^The row is longer than 1 MiB/,
  ],
  [
    'a row of separators above 1 MiB',
    csv('policy,key', `yearly,a${','.repeat(1_100_000)}`),
    1,
    'row',
    /^The row is longer/,
  ],
  [
    'a first line above 32 KiB',
    `policy,key${','.repeat(33_000)}\nyearly,a\n`,
    0,
    'header',
    'The first line is longer than 32 KiB. It names the columns: look for a missing line feed.',
  ],
  [
    'Latin-1 within UTF-8',
    Buffer.concat([Buffer.from(csv('policy,holder_name', 'yearly,Käthe')), Buffer.from('yearly,K\xe4the\n', 'latin1')]),
    2,
    'row',
    /^The file is not UTF-8/,
  ],
  ['UTF-16', Buffer.from(csv('policy,key', 'yearly,a'), 'utf16le'), 0, 'row', /^The file is not UTF-8/],
  ['a NUL', csv('policy,holder_name', 'yearly,a', 'yearly,\0'), 2, 'row', /^The file is not UTF-8/],
  [
    'an end within a character',
    Buffer.from(csv('policy,key', 'yearly,ä')).subarray(0, -2),
    1,
    'row',
    /^The file is not UTF-8/,
  ],
  ['no policy', csv('policy,key', ',a'), 1, 'policy', 'Enter the code of a policy.'],
  ['an unknown policy', csv('policy', 'yearly', 'none'), 2, 'policy', 'Use the code of an existing policy.'],
  [
    'a policy of another product',
    csv('policy,product', 'yearly,none'),
    1,
    'policy',
    'Use the code of an existing policy of this product.',
  ],
  ['an unknown policy id', csv('policy_id', newId()), 1, 'policy_id', 'Use the id of an existing policy.'],
  ['a date before 1970', csv('policy,expires_at', 'yearly,1969-12-31T23:59:59Z'), 1, 'expires_at', timestampMessage],
  ['a date after 9999', csv('policy,starts_at', 'yearly,+010000-01-01T00:00:00Z'), 1, 'starts_at', timestampMessage],
  [
    'a day that does not exist',
    csv('policy,starts_at', 'yearly,2026-02-30T00:00:00Z'),
    1,
    'starts_at',
    timestampMessage,
  ],
  [
    'an end before the start',
    csv('policy,starts_at,expires_at', 'yearly,2027-01-01T00:00:00Z,2026-01-01T00:00:00Z'),
    1,
    'expires_at',
    'Choose a time after the start.',
  ],
  [
    'a limit that overflows',
    csv('policy,max_activations', 'yearly,99999999999999999999'),
    1,
    'max_activations',
    'Enter a whole number or null.',
  ],
  [
    'a limit above the maximum',
    csv('policy,max_activations', 'yearly,1000001'),
    1,
    'max_activations',
    'Enter a number of at most 1000000.',
  ],
  [
    'a limit below zero',
    csv('policy,max_activations', 'yearly,-1'),
    1,
    'max_activations',
    'Enter a number of at least 0.',
  ],
  ['half a limit', csv('policy,max_activations', 'yearly,1.5'), 1, 'max_activations', 'Enter a whole number or null.'],
  [
    'an unknown status',
    csv('policy,status', 'yearly,lost'),
    1,
    'status',
    'Choose one of pending, active, suspended, revoked, expired.',
  ],
  ['a key that needs encoding in a URL', csv('policy,key', 'yearly,a b'), 1, 'key', /^Begin with a letter or a digit/],
  [
    'a repeated key',
    csv('policy,key', 'yearly,twice', 'yearly,twice'),
    2,
    'key',
    'An earlier row of the file has the same value.',
  ],
  [
    'a malformed email address',
    csv('policy,holder_email', 'yearly,nobody'),
    1,
    'holder_email',
    /^Enter an email address such as/,
  ],
  ['metadata that is not JSON', csv('policy,metadata', 'yearly,{x}'), 1, 'metadata', 'Send valid JSON.'],
  ['metadata that is not an object', csv('policy,metadata', 'yearly,3'), 1, 'metadata', 'Enter an object or null.'],
  [
    'metadata with the key __proto__',
    csv('policy,metadata', 'yearly,"{""__proto__"":{}}"'),
    1,
    'metadata',
    'Remove the name that reaches a prototype.',
  ],
  [
    'metadata with a NUL',
    csv('policy,metadata', 'yearly,"{""a"":""\\u0000""}"'),
    1,
    'metadata.a',
    'Remove NUL and lone surrogates.',
  ],
  [
    'a repeated entitlement',
    csv('policy,entitlements', 'yearly,"[{""code"":""a""},{""code"":""a""}]"'),
    1,
    'entitlements.1.code',
    'List each entitlement only once.',
  ],
  [
    'an unknown entitlement',
    csv('policy,entitlements', 'yearly,"[{""code"":""exprt""}]"'),
    1,
    'entitlements.0.code',
    'Choose an existing entitlement.',
  ],
  [
    'a limit for an entitlement that is not metered',
    csv('policy,entitlements', 'yearly,"[{""code"":""a"",""limit"":5}]"'),
    1,
    'entitlements.0.limit',
    'Leave this out: the entitlement is not metered.',
  ],
];

const badNdjson: readonly Bad[] = [
  ['a line that is not JSON', `${ndjson({ policy: 'yearly' })}{"policy":\n`, 2, 'row', 'Send valid JSON.'],
  ['a line that is not an object', '[1]\n', 1, 'row', 'The row must be a JSON object.'],
  [
    'a line nested too deeply',
    `{"metadata":${'['.repeat(40)}${']'.repeat(40)}}\n`,
    1,
    'row',
    'Send at most 32 levels.',
  ],
  [
    'a line above 1 MiB',
    `${ndjson({ policy: 'yearly' })}{"key":"${'x'.repeat(1_100_000)}`,
    2,
    'row',
    /^The row is longer than 1 MiB/,
  ],
  [
    'an unknown field',
    ndjson({ policy: 'yearly', nmae: 'x' }),
    1,
    'nmae',
    'This field is not known. Remove it or correct its name.',
  ],
  [
    'an unknown field of the holder',
    ndjson({ policy: 'yearly', holder: { nmae: 'x' } }),
    1,
    'holder.nmae',
    'This field is not known. Remove it or correct its name.',
  ],
  [
    'two holders',
    ndjson({ policy: 'yearly', holder: {}, holder_name: 'x' }),
    1,
    'holder',
    'Send `holder` as one object or in fields of its own, not both.',
  ],
  ['a number as a policy', ndjson({ policy: 7 }), 1, 'policy', 'Use the code of an existing policy.'],
  [
    'a NUL in a string',
    ndjson({ policy: 'yearly', holder_name: 'a\0' }),
    1,
    'holder_name',
    'Remove NUL and lone surrogates.',
  ],
  [
    'a lone surrogate',
    '{"policy":"yearly","metadata":{"a":"\\ud800"}}\n',
    1,
    'metadata.a',
    'Remove NUL and lone surrogates.',
  ],
  ['a date as a number', ndjson({ policy: 'yearly', expires_at: 5 }), 1, 'expires_at', 'Enter text or null.'],
];

const badFiles = [
  ...badCsv.map((bad) => [...bad, 'text/csv'] as const),
  ...badNdjson.map((bad) => [...bad, 'application/x-ndjson'] as const),
];

test.each(badFiles)(
  'an import of a file with %s is refused by row, field and reason, and writes nothing',
  async (_what, file, row, field, message, type) => {
    await expectNothingWritten(suite.app, suite.tenant, async () => {
      const answer = await importFile(file, { type });
      expect([answer.status, answer.body.error.code], answer.text).toEqual([422, 'IMPORT.REJECTED']);
      const text = typeof message === 'string' ? message : expect.stringMatching(message);
      expect(answer.body.error.details).toEqual([{ row, field, message: text }]);
    });
  },
);
