import { createHmac } from 'node:crypto';
import {
  type FingerprintOptions,
  isContainer,
  machineIdOf,
  macProperty,
  productOf,
  registryValue,
} from './machine-fingerprint.ts';
import { type System, thisSystem } from './system.ts';

/** A part of a machine that can be replaced. */
interface Part {
  readonly name: 'board' | 'cpu' | 'disk' | 'mac' | 'machine';
  readonly value: string | null | undefined;
  /** Whether the computers of one series have the same value. */
  readonly isShared?: boolean;
}

/**
 * Returns hashes of the parts of this machine, for a policy that recognises a device after some of them changed. The parts
 * are `machine` (the id that the fingerprint uses), `board`, `disk`, `mac` and `cpu`; a part that the user may not read is
 * left out. Each hash is an HMAC-SHA256 of the product and the name under the value. In a container, only `machine` belongs to this machine.
 * Parts that the computers of one series share (`cpu`, and a `board` without a serial number) are never the majority.
 * Rejects like `machineFingerprint`.
 */
export async function machineComponents(options: FingerprintOptions): Promise<Record<string, string>> {
  const { system = thisSystem } = options;
  const product = productOf(options, 'machineComponents');
  const machine: Part = { name: 'machine', value: await machineIdOf(options) };
  const parts = [machine, ...(await partsOf(system))].filter(({ value }) => !isPlaceholder(value));
  const own = parts.filter(({ isShared }) => !isShared);
  const shared = parts.filter(({ isShared }) => isShared).slice(0, own.length);
  return Object.fromEntries([...own, ...shared].map(({ name, value }) => [name, hashed(name, value ?? '', product)]));
}

function hashed(name: string, value: string, product: string): string {
  return createHmac('sha256', value.trim()).update(`licensing-component-v1:${name}:${product}`).digest('hex');
}

/** What firmware and virtual machines say instead of a serial number. */
const placeholders =
  /^(none|unknown|default string|not (specified|applicable|available)|to be filled by o\.e\.m\.|(system|base board) serial number|123456789|qm\d+|\{?03000200-0400-0500-0006-000700080009\}?)$/;

/** Whether a value identifies nothing. One that repeats a single letter or digit, as `00000000`, does not either. */
function isPlaceholder(value: string | null | undefined): boolean {
  const text = (value ?? '').trim().toLowerCase();
  return placeholders.test(text) || new Set(text.replaceAll(/[^a-z0-9]/g, '')).size < 2;
}

async function partsOf(system: System): Promise<Part[]> {
  if (system.platform === 'linux') return (await isContainer(system)) ? [] : await linuxParts(system);
  if (system.platform === 'darwin') return await macParts(system);
  return system.platform === 'win32' ? await windowsParts(system) : [];
}

async function linuxParts(system: System): Promise<Part[]> {
  const read = (path: string) => system.readText(path).then(String, () => '');
  const dmi = (name: string) => read(`/sys/class/dmi/id/board_${name}`).then((text) => text.trim());
  // Only root may read the serial number.
  const serial = await dmi('serial');
  const [vendor, model] = [await dmi('vendor'), await dmi('name')];
  const board: Part = isPlaceholder(serial)
    ? { name: 'board', value: isPlaceholder(model) ? null : `${vendor} ${model}`, isShared: true }
    : { name: 'board', value: serial };
  const cpu = /^model name[ \t]*:(.+)$/m.exec(await read('/proc/cpuinfo'))?.[1];
  return [
    board,
    { name: 'disk', value: await rootDisk(read) },
    { name: 'mac', value: await physicalAddress(read) },
    { name: 'cpu', value: cpu, isShared: true },
  ];
}

type Read = (path: string) => Promise<string>;

/** Returns the serial number of the disk with the root folder, or the id of its file system, as udev knows them. */
async function rootDisk(read: Read): Promise<string | undefined> {
  const mounts = await read('/proc/self/mountinfo');
  const [, number = '', source = ''] = /^\d+ \d+ (\d+:\d+) \S+ \/ .*? - \S+ (\S+)/m.exec(mounts) ?? [];
  // A file system of several disks has a number of its own.
  const device = number.startsWith('0:') ? /^\/dev\/([^/]+)$/.exec(source)?.[1] : undefined;
  const disk = device === undefined ? number : (await read(`/sys/class/block/${device}/dev`)).trim();
  const facts = await read(`/run/udev/data/b${disk}`);
  const serial = /^E:ID_SERIAL_SHORT=(.+)$/m.exec(facts)?.[1];
  return isPlaceholder(serial) ? /^E:ID_FS_UUID=(.+)$/m.exec(facts)?.[1] : serial;
}

/** Returns the permanent address of the first network interface, by name, that is hardware. */
async function physicalAddress(read: Read): Promise<string | undefined> {
  const names = [...(await read('/proc/net/dev')).matchAll(/^[ \t]*([^\s:]+):/gm)].map(([, name = '']) => name);
  for (const name of names.sort()) {
    const folder = `/sys/class/net/${name}`;
    const isHardware = (await read(`${folder}/device/uevent`)) !== '';
    if (!isHardware || (await read(`${folder}/addr_assign_type`)).trim() !== '0') continue;
    const address = await read(`${folder}/address`);
    if (!isPlaceholder(address)) return address;
  }
  return undefined;
}

async function macParts(system: System): Promise<Part[]> {
  const cpu = await system.run('/usr/sbin/sysctl', ['-n', 'machdep.cpu.brand_string']).catch(() => '');
  return [
    { name: 'board', value: await macProperty(system, 'IOPlatformSerialNumber') },
    { name: 'cpu', value: cpu, isShared: true },
  ];
}

async function windowsParts(system: System): Promise<Part[]> {
  const cpu = 'HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0';
  return [
    // The UUID that the firmware has for this computer.
    { name: 'board', value: await registryValue(system, 'HKLM\\SYSTEM\\HardwareConfig', 'LastConfig') },
    { name: 'cpu', value: await registryValue(system, cpu, 'ProcessorNameString'), isShared: true },
  ];
}
