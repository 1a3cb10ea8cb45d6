import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Somebody who can log in to the demo. */
export interface DemoAccount {
  readonly email: string;
  readonly password: string;
}

/** Everything that a demo has. */
export interface Demo {
  readonly admin: DemoAccount;
  readonly user: DemoAccount;
  readonly tenant: { readonly id: string; readonly licenseKey: string };
  readonly apiKey: string;
}

/**
 * What was made so far. The file holds passwords and a raw API key, so that the second start prints the same working
 * lines; no database holds them. Only the owner of the process may read it.
 */
export type DemoState = Partial<Demo>;

function demoFile(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

/** Empty before the first start of a demo. Throws when the file is no JSON. */
export async function readDemoState(dataDir: string): Promise<DemoState> {
  const path = demoFile(dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is damaged: delete it, and the next start makes new demo data.`, { cause });
  }
}

/** Replaces the file as a whole: a crash leaves the old one or the new one. */
export async function writeDemoState(dataDir: string, state: DemoState): Promise<void> {
  const path = demoFile(dataDir);
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  try {
    await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
