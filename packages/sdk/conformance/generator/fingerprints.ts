import { createHmac } from 'node:crypto';
import type { OfflineCase } from './tokens.ts';

const machineId = '4c4c454400564d10804cb4c04f335931';
const uuid = '564D9E8B-1B2A-3C4D-5E6F-708192A3B4C5';
const storedId = '7f1d2c3b4a5968778695a4b3c2d1e0f0';
const machineIdFile = '/etc/machine-id';
const busIdFile = '/var/lib/dbus/machine-id';

/** What a case says that the operating system contains. */
interface System {
  readonly platform: 'linux' | 'darwin' | 'win32' | 'aix';
  readonly env?: Readonly<Record<string, string>>;
  /** The texts of the files that exist. */
  readonly files?: Readonly<Record<string, string>>;
  /** What `ioreg -rd1 -c IOPlatformExpertDevice` prints. */
  readonly ioreg?: string;
  /** The value `MachineGuid` of the registry key `HKLM\\SOFTWARE\\Microsoft\\Cryptography`. */
  readonly machine_guid?: string;
  /** The value `LastConfig` of the registry key `HKLM\\SYSTEM\\HardwareConfig`. */
  readonly hardware_id?: string;
  /** The name of the processor, as `sysctl -n machdep.cpu.brand_string` prints it or the registry has it. */
  readonly cpu_name?: string;
}

/** Returns the cases of `machine_fingerprint` and `machine_components`: of what each operating system contains. */
export function fingerprintCases(): OfflineCase[] {
  return [...idCases(), ...systemCases(), ...componentCases()];
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

type Values = Readonly<Partial<Record<'board' | 'cpu' | 'disk' | 'mac' | 'machine', string>>>;

const cpuName = 'Intel(R) Core(TM) i7-1065G7 CPU @ 1.30GHz';
const diskSerial = 'S4EVNF0M123456';
const fileSystem = '0a3407de-014b-458b-b5c1-848e92a327a3';
const address = '8c:16:45:2f:9b:01';
const dmi = '/sys/class/dmi/id/board_';
const net = '/sys/class/net/';

function componentCases(): OfflineCase[] {
  const one = (title: string, system: System, values: Values, product = 'editor'): OfflineCase => {
    const names = ['board', 'cpu', 'disk', 'mac', 'machine'] as const;
    const components = Object.fromEntries(
      names.map((name) => [name, componentOf(name, values[name], product) ?? { $absent: true }]),
    );
    const given = { product, system, stored_id: storedId };
    return { title: `components: ${title}`, operation: 'machine_components', arguments: given, result: { components } };
  };
  const linux = (files: Readonly<Record<string, string>>, others: object = {}): System => ({
    platform: 'linux',
    files: { [machineIdFile]: `${machineId}\n`, ...files },
    ...others,
  });
  const model = 'LENOVO 20U9CTO1WW';
  const parts = {
    [`${dmi}serial`]: ' L1HF05M01AB \n',
    [`${dmi}vendor`]: 'LENOVO\n',
    [`${dmi}name`]: '20U9CTO1WW\n',
    '/proc/cpuinfo': `processor\t: 0\nmodel name\t: ${cpuName}\n\nprocessor\t: 1\nmodel name\t: another\n`,
    '/proc/self/mountinfo':
      '21 28 0:20 / /proc rw - proc proc rw\n28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n',
    '/run/udev/data/b259:2': `S:disk\nE:ID_SERIAL=Disk_${diskSerial}\nE:ID_SERIAL_SHORT=${diskSerial}\nE:ID_FS_UUID=${fileSystem}\n`,
    '/proc/net/dev': 'Inter-|   Receive\n face |bytes\n    lo: 0 0\nwlp2s0: 0 0\n  enp1s0:77 0\ndocker0: 0 0\n',
    [`${net}enp1s0/device/uevent`]: 'DRIVER=e1000e\n',
    [`${net}enp1s0/addr_assign_type`]: '0\n',
    [`${net}enp1s0/address`]: `${address}\n`,
    [`${net}wlp2s0/device/uevent`]: 'DRIVER=iwlwifi\n',
    [`${net}wlp2s0/addr_assign_type`]: '0\n',
    [`${net}wlp2s0/address`]: '8c:16:45:2f:9b:02\n',
    [`${net}docker0/addr_assign_type`]: '3\n',
    [`${net}docker0/address`]: '02:42:ac:11:00:02\n',
  };
  const all = { machine: machineId, board: 'L1HF05M01AB', cpu: cpuName, disk: diskSerial, mac: address };
  const without = (...names: (keyof typeof all)[]): Values =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name as keyof typeof all)));
  const board = (files: Readonly<Record<string, string>>) => linux({ ...parts, ...files });
  return [
    one('Linux: every part that root can read', linux(parts), all),
    one('Linux: another product has other hashes', linux(parts), all, 'viewer'),
    one('Linux: nothing but the machine id', linux({}), { machine: machineId }),
    one('Linux: the model of the board if its serial number is secret', board({ [`${dmi}serial`]: '' }), {
      ...all,
      board: model,
    }),
    ...['Default string', 'To be filled by O.E.M.', '0000-0000', 'None', 'Base Board Serial Number'].map((serial) =>
      one(`Linux: the serial number "${serial}" of a board is none`, board({ [`${dmi}serial`]: serial }), {
        ...all,
        board: model,
      }),
    ),
    one('Linux: a board without a serial number and a model', board({ [`${dmi}serial`]: '', [`${dmi}name`]: '' }), {
      ...without('board'),
    }),
    one(
      'Linux: what computers of one series share is no majority',
      linux({ [`${dmi}vendor`]: 'LENOVO', [`${dmi}name`]: '20U9CTO1WW', '/proc/cpuinfo': parts['/proc/cpuinfo'] }),
      { machine: machineId, board: model },
    ),
    one(
      'Linux: the id of the file system if the disk has no serial number',
      board({ '/run/udev/data/b259:2': `E:ID_SERIAL_SHORT=QM00001\nE:ID_FS_UUID=${fileSystem}\n` }),
      { ...all, disk: fileSystem },
    ),
    one(
      'Linux: a file system of several disks',
      board({
        '/proc/self/mountinfo': '28 1 0:25 /@ / rw,relatime shared:1 - btrfs /dev/nvme0n1p2 rw,ssd\n',
        '/sys/class/block/nvme0n1p2/dev': '259:2\n',
      }),
      all,
    ),
    one('Linux: a root folder without a disk', board({ '/proc/self/mountinfo': '1 0 0:2 / / rw - rootfs none rw\n' }), {
      ...without('disk'),
    }),
    one('Linux: an address that the system made up does not count', board({ [`${net}enp1s0/addr_assign_type`]: '3' }), {
      ...all,
      mac: '8c:16:45:2f:9b:02',
    }),
    one(
      'Linux: without a network interface',
      board({ '/proc/net/dev': 'Inter-|   Receive\n face |bytes\n    lo: 0 0\n' }),
      without('mac'),
    ),
    one('Linux: in a container, the stored id', board({ '/.dockerenv': '' }), { machine: storedId }),
    one(
      'macOS: the ids of the Mac and its processor',
      {
        platform: 'darwin',
        ioreg: `    {\n      "IOPlatformSerialNumber" = "C02XL0AAJGH5"\n      "IOPlatformUUID" = "${uuid}"\n    }\n`,
        cpu_name: 'Apple M1 Pro\n',
      },
      { machine: uuid, board: 'C02XL0AAJGH5', cpu: 'Apple M1 Pro' },
    ),
    one('macOS: without the program, the stored id', { platform: 'darwin' }, { machine: storedId }),
    one(
      'Windows: the ids of the system and the firmware, and the processor',
      { platform: 'win32', machine_guid: uuid, hardware_id: `{${uuid.toLowerCase()}}`, cpu_name: cpuName },
      { machine: uuid, board: `{${uuid.toLowerCase()}}`, cpu: cpuName },
    ),
    one(
      'Windows: an id that many firmwares have does not count',
      { platform: 'win32', machine_guid: uuid, hardware_id: '{03000200-0400-0500-0006-000700080009}' },
      { machine: uuid },
    ),
    one(
      'Windows: an id of one letter does not count',
      { platform: 'win32', machine_guid: uuid, hardware_id: '{FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF}' },
      { machine: uuid },
    ),
    one('another system: the stored id', { platform: 'aix' }, { machine: storedId }),
  ];
}

function componentOf(name: string, value: string | undefined, product: string): string | undefined {
  if (value === undefined) return undefined;
  return createHmac('sha256', value.trim()).update(`licensing-component-v1:${name}:${product}`).digest('hex');
}
