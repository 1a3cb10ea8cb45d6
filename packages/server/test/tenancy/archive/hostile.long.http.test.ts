import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { beforeAll, expect, inject, test } from 'vitest';
import { newId } from '../../../src/lib/ids.ts';
import { createKeyring } from '../../../src/lib/keyring.ts';
import { signatureOf } from '../../../src/tenancy/archive/format.ts';
import { useTenant } from '../../support/accounts.ts';
import { engine } from '../../support/harness.ts';
import { createLicensingData, type LicensingData } from '../../support/licensing-data.ts';
import { exportFrom, importInto, platformRows, useFolder, useOtherApp } from './sites.ts';

const suite = useTenant();
const target = useOtherApp(engine);
const folder = useFolder();
let data: LicensingData;
/** The lines of a valid archive, without its trailer. */
let good: readonly string[];
let end: { readonly rows: Readonly<Record<string, number>> };

beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
  const file = folder.file();
  await exportFrom(suite.app, suite.tenant.id, file);
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n');
  end = JSON.parse(lines.at(-1) ?? '').end;
  good = lines.slice(0, -1);
});

/** Returns an archive of these lines with a valid signature of the application key. */
function signed(lines: readonly string[], rows: object = end.rows): Buffer {
  const content = `${lines.join('\n')}\n`;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const signature = signatureOf(createKeyring(String(suite.app.config.appKey)), 'tenant', sha256);
  return gzipSync(`${content}${JSON.stringify({ end: { rows, sha256, signature } })}\n`);
}

const header = (fields: object) => [JSON.stringify({ ...JSON.parse(good[0] ?? ''), ...fields }), ...good.slice(1)];
const startOf = (table: string) => good.findIndex((line) => line.startsWith(`{"table":"${table}"`));
/** Returns the lines with the first row of a table changed. */
const withRow = (table: string, change: (values: unknown[], columns: string[]) => unknown) =>
  good.with(
    startOf(table) + 1,
    JSON.stringify(change(JSON.parse(good[startOf(table) + 1] ?? ''), JSON.parse(good[startOf(table)] ?? '').columns)),
  );
const withValue = (table: string, column: string, value: unknown) =>
  withRow(table, (values, columns) => values.with(columns.indexOf(column), value));

function section(table: string): { readonly from: number; readonly to: number } {
  const from = startOf(table);
  const next = good.findIndex((line, index) => index > from && line.startsWith('{"table"'));
  return { from, to: next === -1 ? good.length : next };
}

/** Returns the lines with a table moved to the end, after the tables that reference it. */
function movedToEnd(table: string): string[] {
  const { from, to } = section(table);
  return [...good.slice(0, from), ...good.slice(to), ...good.slice(from, to)];
}

const mebibyte = 1024 * 1024;

interface Hostile {
  readonly what: string;
  readonly says: string | RegExp;
  readonly bytes: () => Buffer;
  /** True when the archive is rejected before any database is involved, so that one engine suffices. */
  readonly isEngineless?: true;
}

const cases: readonly Hostile[] = [
  { what: 'no content', says: 'cut off', bytes: () => Buffer.alloc(0) },
  { what: 'a file that is not compressed', says: 'is not an archive', bytes: () => Buffer.from('PK not gzip') },
  { what: 'compressed text', says: 'its first line is not a header', bytes: () => gzipSync('hello\n') },
  {
    what: 'a line that is too long',
    says: 'a line that is too long',
    bytes: () => gzipSync(Buffer.alloc(64 * mebibyte, 0x5b)),
  },
  {
    what: 'a zip bomb of lines',
    says: 'is not an archive',
    bytes: () => gzipSync(Buffer.concat([gzipSync(''), Buffer.alloc(64 * mebibyte, '[1]\n')])),
  },
  {
    what: 'endless rows after a valid header',
    says: 'rows appear before the name of their table',
    bytes: () => gzipSync(`${good[0]}\n${'[1]\n'.repeat(4 * mebibyte)}`),
  },
  { what: 'a later version', says: 'was written by a newer version', bytes: () => signed(header({ version: 2 })) },
  {
    what: 'a later schema',
    says: 'has the schema 9999-later of a newer version',
    bytes: () => signed(header({ schema: '9999-later' })),
  },
  {
    what: 'an unknown schema',
    says: 'which this program does not know',
    bytes: () => signed(header({ schema: '0000-other' })),
  },
  {
    what: 'a path in place of an id',
    says: 'names no tenant',
    bytes: () => signed(header({ tenant_id: '../../platform' })),
  },
  {
    what: 'another application key',
    says: 'fingerprint 0123456789abcdef): set that key as APP_KEY',
    bytes: () => signed(header({ app_key_fingerprint: '0123456789abcdef' })),
  },
  { what: 'an end that is cut off', says: 'damaged or cut off', bytes: () => signed(good).subarray(0, -9) },
  { what: 'an end that is missing', says: 'its end is missing', bytes: () => gzipSync(`${good.join('\n')}\n`) },
  {
    what: 'an altered row',
    says: 'its checksum is wrong',
    bytes: () => {
      const text = gunzipSync(signed(good)).toString();
      return gzipSync(text.replace(data.licenseKey, data.licenseKey.toLowerCase()));
    },
  },
  {
    what: 'a signature made with another key',
    says: 'its signature was not made with this application key',
    bytes: () => {
      const text = gunzipSync(signed(good)).toString();
      return gzipSync(text.replace(/"signature":"[0-9a-f]{64}"/, `"signature":"${'0'.repeat(64)}"`));
    },
  },
  {
    what: 'an altered byte',
    says: /damaged/,
    bytes: () => {
      const bytes = signed(good);
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      return bytes;
    },
  },
  {
    what: 'content after its end',
    says: 'it continues after its end',
    bytes: () => gzipSync(`${gunzipSync(signed(good)).toString()}[1]\n`),
  },
  {
    what: 'fewer rows than its trailer states',
    says: 'the number of rows of licenses is wrong',
    bytes: () => signed(good, { ...end.rows, licenses: 2 }),
  },
  {
    what: 'a table twice',
    says: 'has the table products twice',
    bytes: () => signed([...good, good[startOf('products')] ?? '']),
  },
  {
    isEngineless: true,
    what: 'a table that is missing',
    says: 'the table webhook_attempts is missing',
    bytes: () => {
      const { from, to } = section('webhook_attempts');
      const { webhook_attempts: _gone, ...rows } = end.rows;
      return signed(good.toSpliced(from, to - from), rows);
    },
  },
  {
    isEngineless: true,
    what: 'an unknown table',
    says: 'its schema has no table sqlite_schema',
    bytes: () => signed([...good, '{"table":"sqlite_schema","columns":["sql"]}'], { ...end.rows, sqlite_schema: 0 }),
  },
  {
    isEngineless: true,
    what: 'an unknown column',
    says: 'the columns of products do not match its schema',
    bytes: () =>
      signed(
        good.map((line) => line.replace('{"table":"products","columns":[', '{"table":"products","columns":["x",')),
      ),
  },
  {
    what: 'tables in the wrong order',
    says: 'comes before products, which it references',
    bytes: () => signed(movedToEnd('products')),
  },
  {
    what: 'a duplicate row',
    says: 'its rows violate a constraint',
    bytes: () => {
      const row = good[startOf('products') + 1] ?? '';
      return signed(good.toSpliced(startOf('products') + 1, 0, row), { ...end.rows, products: 2 });
    },
  },
  {
    what: 'two rows with the same unique value',
    says: 'its rows violate a constraint',
    bytes: () => {
      const row = JSON.stringify(JSON.parse(good[startOf('products') + 1] ?? '').with(0, newId()));
      return signed(good.toSpliced(startOf('products') + 1, 0, row), { ...end.rows, products: 2 });
    },
  },
  {
    what: 'a row with a dangling reference',
    says: /violate a constraint|references a row of/,
    bytes: () => signed(withValue('licenses', 'policy_id', newId())),
  },
  {
    what: 'a value that its column forbids',
    says: 'its rows violate a constraint',
    bytes: () => signed(withValue('licenses', 'status', 'golden')),
  },
  {
    isEngineless: true,
    what: 'a number in a text column',
    says: 'should be text',
    bytes: () => signed(withValue('products', 'name', 7)),
  },
  {
    isEngineless: true,
    what: 'a text in a number column',
    says: 'should be a number',
    bytes: () => signed(withValue('policies', 'grace_days', '7')),
  },
  {
    isEngineless: true,
    what: 'a fraction in an integer column',
    says: 'is not a 64-bit integer',
    bytes: () => signed(withValue('policies', 'grace_days', 1.5)),
  },
  {
    isEngineless: true,
    what: 'a number of more than 64 bits',
    says: 'is not a 64-bit integer',
    bytes: () => signed(withValue('policies', 'grace_days', 2 ** 70)),
  },
  {
    isEngineless: true,
    what: 'an object as a value',
    says: 'should be text',
    bytes: () => signed(withValue('products', 'name', {})),
  },
  {
    isEngineless: true,
    what: 'a NUL in a text',
    says: 'contains NUL',
    bytes: () => signed(withValue('products', 'name', 'a\u0000b')),
  },
  {
    isEngineless: true,
    what: 'an unpaired surrogate in a text',
    says: 'unpaired surrogate',
    bytes: () => signed(withValue('products', 'name', '\ud800')),
  },
  {
    isEngineless: true,
    what: 'a row that is too short',
    says: 'too few or too many values',
    bytes: () => signed(withRow('products', (values) => values.slice(1))),
  },
  {
    isEngineless: true,
    what: 'a row that is not JSON',
    says: 'a row is not valid JSON',
    bytes: () => signed(good.with(startOf('products') + 1, '[1,')),
  },
  {
    what: "another tenant's rows under this tenant's id",
    says: /belongs to tenant/,
    bytes: () => signed(good.map((line, index) => (index === 0 ? line.replace(suite.tenant.id, newId()) : line))),
  },
  {
    what: 'a plan that is not offered',
    says: 'The plan "gold" of the archived tenant does not exist here',
    bytes: () => signed(withValue('platform.tenants', 'plan_code', 'gold')),
  },
];

/** Lists the databases of all tenants (SQLite) or of the suite's tenant (PostgreSQL). */
async function databases(): Promise<string[]> {
  if (engine === 'sqlite') {
    await mkdir(join(target.app.config.dataDir, 'tenants'), { recursive: true });
    const entries = await readdir(join(target.app.config.dataDir, 'tenants'), { recursive: true });
    return entries.filter((entry) => entry.includes('.db')).sort();
  }
  const client = new Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    const { rows } = await client.query("select datname from pg_database where datname like 'tenant_%\\_%\\_%'");
    return rows.map(({ datname }) => datname).filter((name) => name.includes(suite.tenant.id.replaceAll('-', '')));
  } finally {
    await client.end();
  }
}

const ofThisEngine = cases.filter(({ isEngineless }) => !isEngineless || engine === 'sqlite');

test.for(ofThisEngine)(
  'an archive with $what is rejected with one sentence and without effect',
  async ({ says, bytes }) => {
    const file = folder.file();
    await writeFile(file, bytes());
    const before = { platform: await platformRows(target.app), databases: await databases() };
    const refused = importInto(target.app, file);
    await expect(refused).rejects.toThrow(says);
    await expect(refused).rejects.toThrow(/^(?!.*\n).*\.$/s);
    expect({ platform: await platformRows(target.app), databases: await databases() }).toEqual(before);
  },
);

test('an import of a missing file or of a folder is rejected', async () => {
  await expect(importInto(target.app, folder.file())).rejects.toThrow('does not exist');
  await expect(importInto(target.app, folder.path)).rejects.toThrow('is a folder');
});

test('the unmodified archive of this suite is imported', async () => {
  const file = folder.file();
  await writeFile(file, signed(good));
  expect(await importInto(target.app, file)).toBe(suite.tenant.id);
});
