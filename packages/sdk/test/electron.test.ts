import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { exposeLicense, rendererLicense } from '../src/electron/index.ts';
import { LicenseGuard, memoryStore } from '../src/index.ts';
import { ElectronProcesses } from './support/electron-processes.ts';
import { installPackage, type Project } from './support/packed.ts';

let project: Project;
let preload: string;
let electron: ElectronProcesses;
let guard: LicenseGuard;
let stop: () => void;
let code: string;
const licenseKey = 'AAAAA-BBBBB-CCCCC';
const origins = ['file://', 'app://editor'];

beforeAll(async () => {
  project = await installPackage();
  preload = join(project.installed, 'dist/cjs/electron/preload.js');
});

afterAll(() => rm(project.folder, { recursive: true, force: true }));

beforeEach(async () => {
  code = 'LICENSE.VALID';
  const holder = { name: 'Ada', email: 'ada@example.com', reference: null };
  const license = { id: 'license-1', key: licenseKey, holder, expiresAt: '2030-01-01T00:00:00Z', maxActivations: 3 };
  const entitlements = [{ code: 'export', hasAccess: true, value: null, limit: null, expiresAt: null }];
  const validate = async () => ({
    valid: code === 'LICENSE.VALID',
    code,
    detail: code,
    license,
    activation: null,
    entitlements,
  });
  // The guard makes no other call without a fingerprint, and uses these fields only.
  guard = new LicenseGuard({ client: { validate } as never, licenseKey, store: memoryStore(), unsigned: true });
  electron = new ElectronProcesses();
  stop = exposeLicense({ guard, ipcMain: electron, origins });
  await guard.start();
});

afterEach(async () => {
  stop();
  vi.unstubAllGlobals();
  await guard.stop();
});

/** Opens a page, and returns it with what its own code gets. */
async function open(origin = 'file://') {
  const page = await electron.open(origin, preload);
  vi.stubGlobal('licensing', page.licensing);
  return { page, license: rendererLicense() };
}

const arrival = () => new Promise(setImmediate);

test('a page gets the state of the guard, hears every change, and has it checked again', async () => {
  const { page, license } = await open();
  const { verdict: _verdict, license: facts, ...state } = guard.state;
  const { expiresAt, maxActivations } = facts ?? {};
  const shown = { expiresAt, maintenanceExpiresAt: undefined, maxActivations, holder: { name: 'Ada' } };
  expect(license.state).toEqual({ ...state, license: shown });
  expect(license.state.checkedAt).toBeInstanceOf(Date);
  expect(license.has('export')).toBe(true);
  expect(license.has('import')).toBe(false);
  let changes = 0;
  const leave = license.on('change', () => {
    changes += 1;
  });
  code = 'LICENSE.REVOKED';
  expect(await license.refresh()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.REVOKED' });
  await arrival();
  expect(license.state).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.REVOKED', entitlements: [] });
  expect({ changes, mayExport: license.has('export') }).toEqual({ changes: 1, mayExport: false });
  leave();
  code = 'LICENSE.VALID';
  await guard.refresh();
  await arrival();
  expect({ changes, mayExport: license.has('export') }).toEqual({ changes: 1, mayExport: true });
  expect(page.errors).toEqual([]);
});

test('the license key and the details of the holder stay in the main process', async () => {
  const { page, license } = await open();
  expect(JSON.stringify(guard.state), 'the guard has them').toMatch(licenseKey);
  const seen = JSON.stringify([page.messages, license.state, await license.refresh()]);
  expect(seen).toContain('Ada');
  expect(seen).not.toMatch(/AAAAA|ada@|license-1|verdict/);
});

test.for(['https://evil.example', 'null', 'file://evil', 'app://editor.evil'])(
  'a page of %s learns nothing, and its console says why',
  async (origin) => {
    const { page, license } = await open(origin);
    expect(license.state).toMatchObject({ reason: 'GUARD.NOT_STARTED' });
    await expect(license.refresh()).rejects.toThrow('`origins`');
    expect(page.messages).toEqual([]);
    expect(String(page.errors[0])).toContain(`A page of ${origin} asked for the license.`);
  },
);

test('a frame that shows another page or was closed hears no more changes, and the others do', async () => {
  const [gone, closed, own] = [await open(), await open('app://editor'), await open()];
  gone.page.navigate('https://evil.example');
  closed.page.close();
  code = 'LICENSE.REVOKED';
  await guard.refresh();
  await arrival();
  expect([gone.page, closed.page, own.page].map(({ messages }) => messages.length)).toEqual([1, 1, 2]);
  expect(own.license.state.reason).toBe('LICENSE.REVOKED');
});

test('without the preload script, the page is told to register it', () => {
  expect(() => rendererLicense()).toThrow('@licensing/sdk/electron/preload');
});

test('after its end nothing is answered, and the license can be exposed again', async () => {
  stop();
  const { page } = await open();
  expect(String(page.errors[0])).toContain('No handler registered');
  stop = exposeLicense({ guard, ipcMain: electron, origins });
  expect((await open()).license.state.status).toBe('licensed');
});
