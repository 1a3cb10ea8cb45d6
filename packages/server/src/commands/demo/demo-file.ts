import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../lib/make-folder.ts';

/** The login of a demo account. */
export interface DemoAccount {
  readonly email: string;
  readonly password: string;
}

/** The demo's tenant. The license is null once it was removed. */
interface DemoTenant {
  readonly id: string;
  readonly licenseKey: string | null;
}

/** The accounts, the tenant and the API keys of the demo. */
export interface Demo {
  readonly admin: DemoAccount;
  readonly user: DemoAccount;
  readonly tenant: DemoTenant;
  readonly apiKey: string;
  /** May start trials and nothing else. */
  readonly trialKey: string;
}

/**
 * The parts of the demo that were created so far. The file contains passwords and a raw API key, which no database
 * stores, so that the second start prints the same working commands. Only the process's user may read it.
 */
export interface DemoState extends Partial<Demo> {
  /** Whether the sample data are being created or were created. Absent without sample data. */
  readonly samples?: 'started' | 'done';
}

function demoFile(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

/** Reads the state; empty before the first start of a demo. Throws when the file is not valid JSON. */
export async function readDemoState(dataDir: string): Promise<DemoState> {
  const path = demoFile(dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is not valid JSON: delete it, and the next start creates new demo data.`, { cause });
  }
}

/** Replaces the file atomically: a crash leaves either the old or the new content. */
export async function writeDemoState(dataDir: string, state: DemoState): Promise<void> {
  const path = demoFile(dataDir);
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  makeFolder(dataDir);
  try {
    await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
