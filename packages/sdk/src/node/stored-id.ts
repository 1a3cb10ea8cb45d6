import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from './error-code.ts';
import type { System } from './system.ts';
import { writeDurably } from './write-durably.ts';

/** Returns where the id of a machine without one of its own is kept: the user's folder for such state. */
export function defaultIdPath({ platform, env, homeFolder }: System): string {
  return join(stateFolder(platform, env, homeFolder), 'licensing-sdk', 'machine-id');
}

function stateFolder(platform: string, env: System['env'], homeFolder: () => string): string {
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(homeFolder(), 'AppData', 'Local');
  if (platform === 'darwin') return join(homeFolder(), 'Library', 'Application Support');
  return env['XDG_STATE_HOME'] || join(homeFolder(), '.local', 'state');
}

/** Returns the random id of a file, and makes it first if there is none. Processes that do so at once get the same id. */
export async function readOrMakeId(path: string): Promise<string> {
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
