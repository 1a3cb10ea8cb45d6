import { open } from 'node:fs/promises';

/** Creates a file that only its owner can read, and returns when the disk has its text. Rejects if the file exists. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder durable after a rename. Windows cannot open a folder, and needs no such step. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!hasCode(error, 'EISDIR', 'EPERM', 'EACCES', 'EINVAL')) throw error;
  }
}

/** Returns whether an error of Node has one of the codes (`ENOENT`). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
