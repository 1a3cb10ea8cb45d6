import { beforeAll, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { newPolicy } from '../support/licensing-catalog.ts';
import { csv, ndjson, type SentFile, sendFile } from './license-files.ts';

const suite = useTenant();
let policy: { readonly id: string };

beforeAll(async () => {
  policy = await newPolicy(suite.tenant, { code: 'yearly', duration_days: 365 });
});

const importFile = (payload: string | Buffer, sent: SentFile = {}) => sendFile(suite.app, suite.tenant, payload, sent);
const licenseOf = async (key: string) => (await suite.tenant.asOwner('GET', `/licenses?key=${key}`)).body.data[0];

test('a file as spreadsheets write it is read: spaces, empty columns at the end, rows without values', async () => {
  const lines = [' Policy_id '.toLowerCase(), ' key ', '"holder_name "', '', ' '];
  const file = [
    lines.join(';'),
    `${policy.id} ; XL-1\u00a0;Ada;;`,
    ';;;;',
    ' ; ;;;',
    `"${policy.id}";"XL-2 ";;;`,
    `${policy.id};XL-3;;;surplus`,
  ].join('\r\n');
  const refused = await importFile(`\uFEFF${file}\r\n;;;;\r\n`);
  expect(refused.body.error.details).toEqual([
    { row: 3, field: 'row', message: 'The row has 5 cells, but the header has 3.' },
  ]);
  const answer = await importFile(`\uFEFF${file.replace('surplus', '')}\r\n;;;;\r\n`);
  expect(answer.body.data).toMatchObject({ created: 3, failed: 0 });
  expect(await licenseOf('XL-1')).toMatchObject({ holder: { name: 'Ada' } });
  expect(await licenseOf('XL-2')).toMatchObject({ policy_id: policy.id });
  const url = '/api/v1/tenant/licenses/export?bom=true';
  const exported = await suite.app.request({ method: 'GET', url, headers: suite.tenant.owner.auth });
  expect(exported.text.slice(0, 4)).toBe('\ufeffid,');
  const plain = await suite.app.request({
    method: 'GET',
    url: `${url}&format=ndjson`,
    headers: suite.tenant.owner.auth,
  });
  expect(plain.text.startsWith('{')).toBe(true);
});

test.for([
  ['key', '1.23457E+11'],
  ['key', '1,23457E+11'],
  ['order_number', '1E+15'],
  ['holder_reference', '2.02612E-07'],
] as const)('the %s %s, which a spreadsheet has shortened, is refused by name', async ([column, value]) => {
  const refusal = { row: 1, field: column, message: expect.stringMatching(/^A spreadsheet has shortened this text/) };
  const file = await importFile(csv(`policy;${column}`, `yearly;${value}`));
  expect(file.body.error.details).toEqual([refusal]);
  const lines = await importFile(ndjson({ policy: 'yearly', [column]: value }), { type: 'application/x-ndjson' });
  expect(lines.body.error.details).toEqual([refusal]);
});

test('a number that would not be stored exactly is refused with its field, in both formats', async () => {
  const field = 'metadata.invoice';
  const message = 'This number would not be stored exactly. Send fewer digits, or send it as text.';
  const file = await importFile(csv('policy,metadata', 'yearly,"{""invoice"":9007199254740993}"'));
  expect(file.body.error.details).toEqual([{ row: 1, field, message }]);
  const line = '{"policy":"yearly","metadata":{"invoice":1e400}}\n';
  const lines = await importFile(line, { type: 'application/x-ndjson' });
  expect(lines.body.error.details).toEqual([{ row: 1, field, message }]);
});
