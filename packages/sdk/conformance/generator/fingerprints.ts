import { createHmac } from 'node:crypto';
import type { OfflineCase } from './tokens.ts';

const machineId = '4c4c454400564d10804cb4c04f335931';
const uuid = '564D9E8B-1B2A-3C4D-5E6F-708192A3B4C5';
const storedId = '7f1d2c3b4a5968778695a4b3c2d1e0f0';
const machineIdFile = '/etc/machine-id';
const busIdFile = '/var/lib/dbus/machine-id';

/** What a case says that the operating system contains. */
interface System {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly env?: Readonly<Record<string, string>>;
  /** The texts of the files that exist. */
  readonly files?: Readonly<Record<string, string>>;
  /** What `ioreg -rd1 -c IOPlatformExpertDevice` prints. */
  readonly ioreg?: string;
  /** The value `MachineGuid` of the registry key `HKLM\\SOFTWARE\\Microsoft\\Cryptography`. */
  readonly machine_guid?: string;
}

/** Returns the cases of `machine_fingerprint`: of an id, and of what each operating system contains. */
export function fingerprintCases(): OfflineCase[] {
  return [...idCases(), ...systemCases()];
}

function idCases(): OfflineCase[] {
  const one = (title: string, id: string, product: string): OfflineCase => {
    const given = { product, machine_id: id };
    return { title, operation: 'machine_fingerprint', arguments: given, result: { fingerprint: digest(id, product) } };
  };
  return [
    one('the id of Linux', machineId, 'editor'),
    one('another product has another fingerprint', machineId, 'viewer'),
    one('white space around the id does not count', ` ${machineId}\n`, 'editor'),
    one('capital letters stay', uuid, 'editor'),
    one('small letters stay', uuid.toLowerCase(), 'editor'),
    one('text is UTF-8', 'Gerät-1', 'büro'),
    one('an id that is longer than a block of the hash', 'a'.repeat(100), 'editor'),
  ];
}

function systemCases(): OfflineCase[] {
  const one = (title: string, id: string, system: System): OfflineCase => {
    const given = { product: 'editor', system, stored_id: storedId };
    return { title, operation: 'machine_fingerprint', arguments: given, result: { fingerprint: digest(id, 'editor') } };
  };
  const linux = (others: Omit<System, 'platform'> = {}): System => {
    const { files = {}, ...env } = others;
    return { platform: 'linux', ...env, files: { [machineIdFile]: `${machineId}\n`, ...files } };
  };
  const withoutId = { platform: 'linux', files: {} } as const;
  return [
    one('Linux: the machine id', machineId, linux()),
    one('Linux: the machine id of D-Bus', machineId, { ...withoutId, files: { [busIdFile]: `${machineId}\n` } }),
    one('Linux: an empty machine id does not count', machineId, {
      ...withoutId,
      files: { [machineIdFile]: '\n', [busIdFile]: machineId },
    }),
    one('Linux: a machine id that is not set yet does not count', storedId, {
      ...withoutId,
      files: { [machineIdFile]: 'uninitialized\n' },
    }),
    one('Linux: without an id, the stored one', storedId, withoutId),
    one('Linux: in Kubernetes, the stored id', storedId, linux({ env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } })),
    one('Linux: in Docker, the stored id', storedId, linux({ files: { '/.dockerenv': '' } })),
    one('Linux: in Podman, the stored id', storedId, linux({ files: { '/run/.containerenv': '' } })),
    ...['docker', 'containerd', 'kubepods', 'libpod', 'lxc'].map((name) =>
      one(`Linux: in a control group of ${name}, the stored id`, storedId, {
        ...linux({ files: { '/proc/1/cgroup': `12:cpu:/${name}/4c4c4544\n` } }),
      }),
    ),
    one(
      'Linux: control groups of a machine do not count',
      machineId,
      linux({ files: { '/proc/1/cgroup': '0::/init.scope\n' } }),
    ),
    one('macOS: the platform UUID', uuid, {
      platform: 'darwin',
      ioreg: `+-o J314sAP  <class IOPlatformExpertDevice>\n    {\n      "IOPlatformSerialNumber" = "C02"\n      "IOPlatformUUID" = "${uuid}"\n    }\n`,
    }),
    one('macOS: without a UUID, the stored id', storedId, { platform: 'darwin', ioreg: '{ }' }),
    one('macOS: without the program, the stored id', storedId, { platform: 'darwin' }),
    one('Windows: the machine GUID', uuid.toLowerCase(), { platform: 'win32', machine_guid: uuid.toLowerCase() }),
    one('Windows: without a GUID, the stored id', storedId, { platform: 'win32' }),
  ];
}

function digest(id: string, product: string): string {
  return createHmac('sha256', id.trim()).update(`licensing-fingerprint-v1:${product}`).digest('hex');
}
