import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTenantPerTest } from '../support/accounts.ts';
import { keygenId, keygenToken, pageBody, resource } from '../support/fake-keygen.ts';
import { fillAccount, newLicense } from '../support/keygen-account.ts';
import { useKeygen } from './keygen-suite.ts';
import { licensing, licensingProcess, spawnLicensing } from './licensing.ts';

const suite = useTenantPerTest();
const account = useKeygen(suite);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'licensing-keygen-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const licenses = 600;

/** Counts the rows that the import wrote, which must agree with each other. */
async function counts() {
  return await suite.app.services.tenants.readTenantDb(suite.tenant.id, async ({ query }) => {
    const count = async (table: 'licenses' | 'activations' | 'imported_resources') =>
      Number(
        (
          await query
            .selectFrom(table)
            .select((eb) => eb.fn.countAll().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      );
    const created = query.selectFrom('audit_logs').select((eb) => eb.fn.countAll().as('count'));
    const audits = async (event: string) =>
      Number((await created.where('event', '=', event).executeTakeFirstOrThrow()).count);
    const use = new Map(
      (await query.selectFrom('plan_use').selectAll().execute()).map((row) => [row.resource, row.used]),
    );
    return {
      licenses: [await count('licenses'), await audits('LICENSE.CREATED'), use.get('licenses') ?? 0],
      activations: [await count('activations'), await audits('ACTIVATION.CREATED'), use.get('activations') ?? 0],
      imported: await count('imported_resources'),
    };
  });
}

test('an import that is killed at random points continues, and in the end nothing is missing or doubled', async () => {
  fillAccount(account.keygen, licenses);
  let kills = 0;
  for (;;) {
    // Kills the process while it waits for a page, at a request that is chosen at random.
    const child = spawnLicensing(...account.command());
    const ended = once(child, 'close');
    let remaining = 6 + Math.floor(Math.random() * 8);
    account.keygen.interfere = () => {
      remaining -= 1;
      if (remaining === 0 && kills < 3) child.kill('SIGKILL');
      return false;
    };
    const [code] = await ended;
    const { licenses: made, activations, imported } = await counts();
    // A batch, its audit records, its counter and its mapping are one transaction.
    expect(new Set(made).size).toBe(1);
    expect(new Set(activations).size).toBe(1);
    if (code === 0) {
      expect([made[0], activations[0], imported]).toEqual([licenses, licenses, 2 * licenses + 2]);
      break;
    }
    kills += 1;
  }
  expect(kills).toBe(3);
  expect(await readdir(join(suite.app.site.dataDir, 'imports'))).toEqual([]);
});

test('a stopped import continues where it stopped: pages that are complete are not read again', async () => {
  const many = 1200;
  fillAccount(account.keygen, many);
  const first = spawnLicensing(...account.command());
  const ended = once(first, 'close');
  const cursor = keygenId(4, 600);
  account.keygen.interfere = (request) => {
    if (!request.url?.includes(cursor)) return false;
    first.kill('SIGINT');
    return true;
  };
  expect((await ended)[0]).toBe(1);
  const { licenses: made } = await counts();
  expect(made[0]).toBeGreaterThanOrEqual(500);
  expect(made[0]).toBeLessThan(many);
  account.keygen.interfere = null;
  account.keygen.requests.length = 0;
  const second = await account.importing();
  expect(second.stderr).toContain('Continued the import that began at');
  expect(second.stderr).toContain(`licenses: ${many} created`);
  expect(account.keygen.requests.some((request) => request.includes(keygenId(4, 100)))).toBe(false);
  expect(account.keygen.requests.some((request) => request.startsWith('users?page[cursor]'))).toBe(false);
  expect((await counts()).licenses[0]).toBe(many);
});

describe('saved pages', () => {
  /** Writes pages with `size` resources each, as they come from the API, the machines first. */
  async function savePages(name: string, count: number, size: number): Promise<string> {
    fillAccount(account.keygen, count);
    const lines: string[] = [];
    for (const path of ['machines', 'licenses', 'users', 'policies', 'products']) {
      const resources = account.keygen.collections.get(path) ?? [];
      for (let after = ''; ; ) {
        const page = pageBody(path, resources, after, size);
        lines.push(JSON.stringify(page));
        if (page.links.next === null) break;
        after = page.data.at(-1)?.id ?? '';
      }
    }
    const file = join(folder, name);
    await writeFile(file, `${lines.join('\n')}\n`);
    return file;
  }

  test('a file with pages in any order is imported like the API, and both know each other', async () => {
    const file = await savePages('pages.ndjson', 250, 100);
    const args = ['import', 'keygen', '--from', file, '--tenant', suite.tenant.id];
    const { code, stdout, stderr } = await licensing(args, suite.app.site.env);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: '' });
    expect(stderr).toContain('licenses: 250 created');
    expect((await account.importing()).stderr).toContain('licenses: 250 unchanged');
  });

  test('a line that is not a page ends the import with its number', async () => {
    const file = join(folder, 'broken.ndjson');
    await writeFile(file, `${JSON.stringify({ data: [newLicense(1)] })}\n{"data":\n`);
    const args = ['import', 'keygen', '--from', file, '--tenant', suite.tenant.id];
    expect(await licensing(args, suite.app.site.env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Line 2 of broken.ndjson is not a page of Keygen's API: it is not JSON."),
    });
  });

  test('a folder with the entitlements of a license is imported', async () => {
    const pages = join(folder, `pages-${suite.tenant.id}`);
    fillAccount(account.keygen, 1);
    await mkdir(pages);
    const cloud = resource('entitlements', keygenId(6, 1), { code: 'CLOUD', name: 'Cloud' });
    const nested = `licenses/${keygenId(4, 1)}/entitlements`;
    for (const path of ['products', 'policies', 'users', 'licenses', 'machines'])
      await writeFile(join(pages, `${path}.json`), JSON.stringify({ data: account.keygen.collections.get(path) }));
    await writeFile(join(pages, 'entitlements.json'), JSON.stringify(pageBody('entitlements', [cloud], '', 100)));
    await writeFile(join(pages, 'nested.json'), JSON.stringify(pageBody(nested, [cloud], '', 100)));
    const args = ['import', 'keygen', '--from', pages, '--tenant', suite.tenant.id];
    expect(await licensing(args, suite.app.site.env)).toMatchObject({ code: 0, stdout: '' });
    const [license] = (await suite.tenant.asOwner('GET', '/licenses')).body.data;
    expect(license.entitlements).toEqual([{ code: 'CLOUD' }]);
  });

  test('an import runs in a heap that could not hold its licenses', async () => {
    // The licenses have 45 MB of metadata. The program without them takes more than half of the heap.
    fillAccount(account.keygen, 1);
    const filler = 'x'.repeat(15_000);
    account.keygen.collections.set(
      'licenses',
      Array.from({ length: 3000 }, (_, index) => newLicense(index + 1, { metadata: { filler } })),
    );
    const lines: string[] = [];
    for (const path of ['products', 'policies', 'users', 'licenses', 'machines']) {
      const resources = account.keygen.collections.get(path) ?? [];
      for (let start = 0; start < resources.length; start += 100)
        lines.push(JSON.stringify({ data: resources.slice(start, start + 100) }));
    }
    const file = join(folder, 'many.ndjson');
    await writeFile(file, lines.join('\n'));
    const env = { ...suite.app.site.env, NODE_OPTIONS: '--max-old-space-size=100' };
    const args = ['import', 'keygen', '--from', file, '--tenant', suite.tenant.id];
    const { code, stderr } = await licensingProcess(args, env);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('licenses: 3000 created') });
  });
});

describe('the command line', () => {
  const cases = [
    { args: ['--tenant', 'x', '--account', 'a'], says: '"x" is not a tenant id' },
    { args: ['--tenant', keygenId(9, 1)], says: 'The option --account is missing, or --from.' },
    {
      args: ['--tenant', keygenId(9, 1), '--account', 'a', '--url', 'http://keygen.example'],
      says: '--url must be an https',
    },
    { args: ['--tenant', keygenId(9, 1), '--account', 'a'], says: 'The token is missing or malformed' },
    { args: ['--tenant', keygenId(9, 1), '--from', '/nonexistent'], says: 'there is no file or folder' },
  ];
  test.for(cases)('$says', async ({ args, says }) => {
    const { code, stderr } = await licensing(['import', 'keygen', ...args], suite.app.site.env);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  });

  test('the token can come from standard input, and a tenant that does not exist is reported before anything is read', async () => {
    const from = await licensing(account.command('--token-stdin')[0], suite.app.site.env, {
      stdin: `${keygenToken}\n`,
    });
    expect(from).toMatchObject({ code: 0 });
    const args = ['import', 'keygen', '--url', account.keygen.url, '--account', 'acme', '--tenant', keygenId(9, 9)];
    const none = await licensing(args, account.command()[1]);
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no such tenant. Check --tenant.'),
    });
  });
});
