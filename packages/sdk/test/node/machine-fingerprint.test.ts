// What the conformance cases of fingerprints leave out: the programs that run, and where a random id is stored.
import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineComponents, machineFingerprint, type System } from '../../src/node/index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'licensing-sdk-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Machine {
  readonly platform: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly programs?: Readonly<Record<string, string>>;
}

/** A machine with only the given properties. */
function systemOf({ platform, files = {}, env = {}, programs = {} }: Machine): System {
  const find = async (texts: Readonly<Record<string, string>>, name: string) => {
    const text = texts[name];
    if (text === undefined) throw new Error(`there is no ${name}`);
    return text;
  };
  return {
    platform,
    env,
    homeFolder: () => join(folder, 'home'),
    readText: (path) => find(files, path),
    exists: async (path) => path in files,
    run: (program, programArguments) => find(programs, [program, ...programArguments].join(' ')),
  };
}

const id = 'b08dfa6083e7567a1921a715000001fb';
const guid = '1F2E3D4C-0000-4000-8000-0123456789ab';
const hashed = (key: string) => createHmac('sha256', key).update('licensing-fingerprint-v1:editor').digest('hex');
const fingerprintOf = (machine: Machine, path?: string) =>
  machineFingerprint({ product: 'editor', system: systemOf(machine), ...(path !== undefined && { path }) });

const ioreg = '/usr/sbin/ioreg -rd1 -c IOPlatformExpertDevice';
const reg = 'D:\\Win\\System32\\reg.exe query HKLM\\SOFTWARE\\Microsoft\\Cryptography /v MachineGuid /reg:64';

describe('machineFingerprint', () => {
  test.each<[string, Machine, string]>([
    [
      'the id of D-Bus while the machine-id is not initialized',
      { platform: 'linux', files: { '/etc/machine-id': 'uninitialized\n', '/var/lib/dbus/machine-id': id } },
      id,
    ],
    [
      'the platform UUID of macOS',
      { platform: 'darwin', programs: { [ioreg]: `+-o Mac\n {\n  "IOPlatformUUID" = "${guid}"\n  "x" = "y"\n }` } },
      guid,
    ],
    [
      'the MachineGuid of Windows',
      {
        platform: 'win32',
        env: { SystemRoot: 'D:\\Win' },
        programs: { [reg]: `\r\nHKEY_LOCAL_MACHINE\\…\r\n    MachineGuid    REG_SZ    ${guid}\r\n\r\n` },
      },
      guid,
    ],
  ])('is a keyed hash of the product under %s', async (_what, machine, key) => {
    expect(await fingerprintOf(machine)).toBe(hashed(key));
    expect(await readdir(folder)).not.toContain('home');
  });

  const containers: [string, Machine][] = [
    ['Docker', { platform: 'linux', files: { '/.dockerenv': '', '/etc/machine-id': id } }],
    ['no system that is known', { platform: 'aix' }],
    ['a Mac without ioreg', { platform: 'darwin' }],
  ];
  test.each(containers)('of %s comes from a stored random id that does not change', async (name, machine) => {
    const path = join(folder, name, 'machine-id');
    const first = await fingerprintOf(machine, path);
    const stored = await readFile(path, 'utf8');
    expect(stored).toMatch(/^[0-9a-f]{32}$/);
    expect(first).toBe(hashed(stored));
    expect(await fingerprintOf(machine, path)).toBe(first);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o700);
  });

  test('of processes that start at once in a new container is the same', async () => {
    const path = join(folder, 'at once', 'machine-id');
    const machine: Machine = { platform: 'linux', files: { '/.dockerenv': '' } };
    const all = await Promise.all(Array.from({ length: 20 }, () => fingerprintOf(machine, path)));
    expect(new Set(all).size).toBe(1);
    expect(await readdir(join(folder, 'at once'))).toEqual(['machine-id']);
  });

  test.each([
    ['linux', { XDG_STATE_HOME: 'state' }, 'state/licensing-sdk/machine-id'],
    ['linux', {}, 'home/.local/state/licensing-sdk/machine-id'],
    ['darwin', {}, 'home/Library/Application Support/licensing-sdk/machine-id'],
    ['win32', { LOCALAPPDATA: 'local' }, 'local/licensing-sdk/machine-id'],
  ])('on %s with %j keeps the random id in %s', async (platform, env, path) => {
    const absolute = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, join(folder, value)]));
    await fingerprintOf({ platform, env: absolute });
    expect(await readFile(join(folder, path), 'utf8')).toMatch(/^[0-9a-f]{32}$/);
  });

  test('without a place for the random id is an error that says what to do', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(fingerprintOf({ platform: 'aix' }, join(file, 'machine-id'))).rejects.toMatchObject({
      code: 'FINGERPRINT.UNAVAILABLE',
      message: expect.stringContaining('Set `path`'),
    });
  });

  test('of this machine needs no options but the product', async () => {
    const path = join(folder, 'own', 'machine-id');
    expect(await machineFingerprint({ product: 'editor', path })).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('machineComponents', () => {
  test('of this machine are hashes of its parts, the machine among them', async () => {
    const components = await machineComponents({ product: 'editor', path: join(folder, 'parts', 'machine-id') });
    expect(components).toMatchObject({ machine: expect.any(String) });
    for (const [name, value] of Object.entries(components)) {
      expect(name).toMatch(/^(machine|board|disk|mac|cpu)$/);
      expect(value).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  test('without a product is a mistake in the program', async () => {
    await expect(machineComponents({ product: '' })).rejects.toMatchObject({ code: 'CONFIGURATION.INVALID' });
  });
});
