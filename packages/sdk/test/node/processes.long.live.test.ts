import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTenant } from '../../../server/test/support/accounts.ts';
import { defineEntitlements, newLicense } from '../../../server/test/support/licensing-catalog.ts';
import { LicensingClient, UsageRecorder } from '../../src/index.ts';
import { fileStore } from '../../src/node/index.ts';

const suite = useTenant();
const program = join(import.meta.dirname, '../support/application.ts');
let baseUrl: string;
let folder: string;

beforeAll(async () => {
  await suite.app.http.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(suite.app.http.server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'licensing-sdk-'));
  await defineEntitlements(suite.tenant, { renders: 'metered' });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function floatingLicense() {
  const policy = { require_activation: true, max_activations: 1, lease_seconds: 3600 };
  return await newLicense(suite.tenant, { ...policy, entitlements: [{ code: 'renders' }] });
}

/** Runs the application; `onReady` gets its process when it has its seat. */
async function run(
  mode: string,
  key: string,
  path: string,
  onReady?: (kill: (signal: NodeJS.Signals) => void) => void,
) {
  const settings = { mode, baseUrl, apiKey: suite.tenant.apiKey, licenseKey: key, path };
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (output.includes('ready licensed')) onReady?.((signal) => child.kill(signal));
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.on('close', (...ended) => resolve(ended));
  });
  return { code, signal, output, errors };
}

async function usageOf({ id }: { readonly id: string }): Promise<number> {
  const { body } = await suite.tenant.asOwner('GET', `/usage?license_id=${id}&interval=year`);
  return body.data.reduce((sum: number, { quantity }: { quantity: number }) => sum + quantity, 0);
}

async function seatsOf({ id }: { readonly id: string }): Promise<number> {
  const { body } = await suite.tenant.asOwner('GET', `/activations?license_id=${id}&status=active`);
  return body.data.length;
}

describe('closeOnExit', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'at %s the seat is released and the usage reported, and the process ends with the signal',
    async (signal) => {
      const license = await floatingLicense();
      const ended = await run('wait', license.key, join(folder, signal), (kill) => kill(signal));
      expect(ended).toMatchObject({ signal, errors: '' });
      expect([await seatsOf(license), await usageOf(license)]).toEqual([0, 3]);
    },
  );

  test('at the natural end of the process the seat is released and the usage reported', async () => {
    const license = await floatingLicense();
    expect(await run('end', license.key, join(folder, 'end'))).toMatchObject({ code: 0, errors: '' });
    expect([await seatsOf(license), await usageOf(license)]).toEqual([0, 3]);
  });

  test('a SIGTERM that follows the natural end waits for the seat and the usage, and ends the process', async () => {
    const license = await floatingLicense();
    const ended = await run('end-terminated', license.key, join(folder, 'end-terminated'));
    expect(ended).toMatchObject({ signal: 'SIGTERM', errors: '' });
    expect([await seatsOf(license), await usageOf(license)]).toEqual([0, 3]);
  });

  test('an application with a handler of its own decides how it ends', async () => {
    const license = await floatingLicense();
    const ended = await run('own-handler', license.key, join(folder, 'own'), (kill) => kill('SIGTERM'));
    expect(ended).toMatchObject({ code: 3, errors: '' });
    expect([await seatsOf(license), await usageOf(license)]).toEqual([0, 3]);
  });
});

describe('a process with a recorder that is killed', () => {
  test.each([
    ['before it sends the usage', 'before-send', { accepted: 5, duplicate: 0 }],
    ['after the service counted the usage', 'after-answer', { accepted: 0, duplicate: 5 }],
  ])('%s loses nothing and counts nothing twice', async (_when, mode, expected) => {
    const license = await floatingLicense();
    const path = join(folder, mode, 'usage.json');
    expect(await run(mode, license.key, path)).toMatchObject({ signal: 'SIGKILL' });
    const { output } = await run('resume', license.key, path);
    expect(JSON.parse(output)).toMatchObject({ ...expected, pending: 0, error: null, refused: [] });
    expect(await usageOf(license)).toBe(10);
    expect(await readdir(join(folder, mode)), 'no lock and no temporary file stays').toEqual(['usage.json']);
    expect(JSON.parse(await readFile(path, 'utf8')).events).toEqual([]);
  });

  test('while it lives, a second recorder with its file is refused and records nothing', async () => {
    const { key } = await floatingLicense();
    const path = join(folder, 'shared.json');
    const client = new LicensingClient({ baseUrl, apiKey: suite.tenant.apiKey });
    const refused: string[] = [];
    const recordToo = async () => {
      const recorder = new UsageRecorder({ client, licenseKey: key, store: fileStore(path) });
      recorder.on('refused', ({ reason }) => refused.push(reason));
      await recorder.record('renders').catch(({ code }) => refused.push(code));
      await recorder.close();
    };
    await run('wait', key, path, (kill) => void recordToo().finally(() => kill('SIGTERM')));
    expect(refused).toEqual(['STORE.IN_USE', 'STORE.IN_USE']);
  });

  test('a lock file of garbage does not block the store', async () => {
    const path = join(folder, 'garbage.json');
    await writeFile(`${path}.lock`, '{');
    const unlock = await fileStore(path).lock?.();
    await unlock?.();
    expect((await readdir(folder)).filter((name) => name.startsWith('garbage'))).toEqual([]);
  });
});
