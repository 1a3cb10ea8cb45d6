import { createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configurationError, given, LicensingError } from '../error.ts';
import { type System, thisSystem } from './system.ts';
import { hasCode, writeDurably } from './write-durably.ts';

/** What a fingerprint is made for. */
export interface FingerprintOptions {
  /** The product's code. Fingerprints of two products have nothing in common. */
  readonly product: string;
  /**
   * The file for the random id of a machine without an id of its own, such as a container. By default it is in the
   * user's state folder. In a container, put it on a volume, or each start is a new machine.
   */
  readonly path?: string;
  /** The operating system, for tests. */
  readonly system?: System;
}

/**
 * Returns the fingerprint of this machine for a product: 64 lower-case hex characters, an HMAC-SHA256 of the product
 * under the machine's id (machine-id, IOPlatformUUID or MachineGuid), so that it identifies nothing elsewhere. In a
 * container and without such an id, a stored random id takes its place. Rejects with `FINGERPRINT.UNAVAILABLE` if that
 * cannot be stored.
 */
export async function machineFingerprint(options: FingerprintOptions): Promise<string> {
  const product = productOf(options, 'machineFingerprint');
  return createHmac('sha256', await machineIdOf(options))
    .update(`licensing-fingerprint-v1:${product}`)
    .digest('hex');
}

/** Returns the product of the options. Throws `CONFIGURATION.INVALID` without one. */
export function productOf(options: FingerprintOptions, name: string): string {
  const { product } = given(options, `${name}({ product: 'editor' })`);
  if (typeof product !== 'string' || product === '')
    throw configurationError('`product` must be the code of a product.');
  return product;
}

/** Returns the machine's own id, or the stored one. Rejects with `FINGERPRINT.UNAVAILABLE`. */
export async function machineIdOf({ path, system = thisSystem }: FingerprintOptions): Promise<string> {
  return (await readMachineId(system)) ?? (await storedId(path ?? defaultIdPath(system)));
}

async function storedId(path: string): Promise<string> {
  try {
    return await readOrMakeId(path);
  } catch (cause) {
    throw unavailable(path, cause);
  }
}

function unavailable(path: string, cause: unknown): LicensingError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message =
    `This machine has no id of its own, and ${path} cannot hold one: ${reason}. ` +
    'Set `path` to a writable file that persists.';
  return new LicensingError({ code: 'FINGERPRINT.UNAVAILABLE', message, cause });
}

/**
 * Returns the id that the operating system gives to this machine, or null if it has none or if this is a container:
 * containers of one image share the image's id.
 */
async function readMachineId(system: System): Promise<string | null> {
  if (system.platform === 'linux') return (await isContainer(system)) ? null : await linuxMachineId(system);
  if (system.platform === 'darwin') return await macProperty(system, 'IOPlatformUUID');
  if (system.platform === 'win32')
    return await registryValue(system, 'HKLM\\SOFTWARE\\Microsoft\\Cryptography', 'MachineGuid');
  return null;
}

async function linuxMachineId({ readText }: System): Promise<string | null> {
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    const id = (await readText(path).catch(() => '')).trim();
    // `uninitialized`: the first boot has not finished, machine-id(5).
    if (id !== '' && id !== 'uninitialized') return id;
  }
  return null;
}

/** Returns a property of the Mac. The absolute path keeps a user from replacing the program with one of the search path. */
export async function macProperty({ run }: System, name: string): Promise<string | null> {
  const text = await run('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']).catch(() => '');
  return new RegExp(`"${name}"\\s*=\\s*"([^"]+)"`).exec(text)?.[1]?.trim() || null;
}

/** Returns a text of the registry of Windows. */
export async function registryValue({ run, env }: System, key: string, name: string): Promise<string | null> {
  const program = `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\reg.exe`;
  // `/reg:64`: a 32-bit process otherwise reads another part of the registry, which has no id.
  const text = await run(program, ['query', key, '/v', name, '/reg:64']).catch(() => '');
  return new RegExp(`${name}\\s+REG_SZ\\s+(\\S.*)`).exec(text)?.[1]?.trim() ?? null;
}

export async function isContainer({ exists, readText, env }: System): Promise<boolean> {
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return true;
  if ((await exists('/.dockerenv')) || (await exists('/run/.containerenv'))) return true;
  const groups = await readText('/proc/1/cgroup').catch(() => '');
  return /docker|containerd|kubepods|libpod|lxc/.test(groups);
}

/** Returns where the id of a machine without one of its own is kept: the user's folder for such state. */
function defaultIdPath({ platform, env, homeFolder }: System): string {
  return join(stateFolder(platform, env, homeFolder), 'licensing-sdk', 'machine-id');
}

function stateFolder(platform: string, env: System['env'], homeFolder: () => string): string {
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(homeFolder(), 'AppData', 'Local');
  if (platform === 'darwin') return join(homeFolder(), 'Library', 'Application Support');
  return env['XDG_STATE_HOME'] || join(homeFolder(), '.local', 'state');
}

/** Returns the random id in a file, and creates the file if it is missing. Concurrent processes get the same id. */
async function readOrMakeId(path: string): Promise<string> {
  const found = await readId(path);
  if (found !== '') return found;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  const made = randomBytes(16).toString('hex');
  try {
    await writeDurably(temporary, made);
    // Only the first of several processes succeeds; the others read its id. Some file systems have no links.
    await link(temporary, path).catch((error) => (hasCode(error, 'EEXIST') ? undefined : writeDurably(path, made)));
  } finally {
    await rm(temporary, { force: true });
  }
  const id = await readId(path);
  if (id === '') throw new Error(`${path} is empty. Remove it.`);
  return id;
}

async function readId(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}
