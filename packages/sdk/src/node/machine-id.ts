import type { System } from './system.ts';

/**
 * Returns the id that the operating system gives to this machine, or null if it has none or if this is a container:
 * containers of one image share the image's id.
 */
export async function readMachineId(system: System): Promise<string | null> {
  if (system.platform === 'linux') return (await isContainer(system)) ? null : await linuxMachineId(system);
  if (system.platform === 'darwin') return await macMachineId(system);
  if (system.platform === 'win32') return await windowsMachineId(system);
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

/** The absolute path keeps a user from replacing the program with one of the search path. */
async function macMachineId({ run }: System): Promise<string | null> {
  const text = await run('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']).catch(() => '');
  return /"IOPlatformUUID"\s*=\s*"([^"]+)"/.exec(text)?.[1]?.trim() || null;
}

async function windowsMachineId({ run, env }: System): Promise<string | null> {
  const program = `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\reg.exe`;
  const key = 'HKLM\\SOFTWARE\\Microsoft\\Cryptography';
  // `/reg:64`: a 32-bit process otherwise reads another part of the registry, which has no id.
  const text = await run(program, ['query', key, '/v', 'MachineGuid', '/reg:64']).catch(() => '');
  return /MachineGuid\s+REG_SZ\s+(\S+)/.exec(text)?.[1] ?? null;
}

async function isContainer({ exists, readText, env }: System): Promise<boolean> {
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return true;
  if ((await exists('/.dockerenv')) || (await exists('/run/.containerenv'))) return true;
  const groups = await readText('/proc/1/cgroup').catch(() => '');
  return /docker|containerd|kubepods|libpod|lxc/.test(groups);
}
