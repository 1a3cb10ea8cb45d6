import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { licensing } from '../commands/licensing.ts';
import { createSite } from '../support/harness.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const nobody = 65_534;

/** Permissions do not restrict root, so tests that run as root start the program as another user. */
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

function eachPath(folder: string, act: (path: string) => void): void {
  act(folder);
  for (const name of readdirSync(folder, { recursive: true }) as string[]) act(join(folder, name));
}

/** Makes a folder read-only and gives it to the user that runs the program. */
function makeReadOnly(folder: string): void {
  eachPath(folder, (path) => {
    if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid);
    chmodSync(path, statSync(path).isDirectory() ? 0o500 : 0o400);
  });
  // From the top, because a folder must be accessible before its content.
  onTestFinished(() => eachPath(folder, (path) => chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600)));
}

async function serve(env: NodeJS.ProcessEnv): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...identity,
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stderr = await text(child.stderr);
  return { code: await ended, stderr };
}

describe('a data directory that cannot be written', () => {
  const cases: readonly { readonly holding: string; readonly prepare: (env: NodeJS.ProcessEnv) => Promise<unknown> }[] =
    [
      { holding: 'nothing', prepare: () => Promise.resolve() },
      { holding: 'data', prepare: (env) => licensing(['tenants', 'create', '--name', 'Acme'], env) },
    ];

  test.for(cases)(
    'a start with a read-only data directory that holds $holding fails with a sentence that says what to do',
    async ({ prepare }) => {
      const site = await createSite();
      onTestFinished(() => site.remove());
      const dataDir = join(site.dataDir, 'data');
      mkdirSync(dataDir);
      chmodSync(site.dataDir, 0o755);
      const env = { ...site.env, DATA_DIR: dataDir };
      await prepare(env);
      makeReadOnly(dataDir);
      const { code, stderr } = await serve(env);
      expect(stderr).toMatch(/permission/i);
      expect(stderr).toContain(dataDir);
      expect(stderr).not.toMatch(/should not happen|already serves|^\s+at /m);
      expect(code).toBe(1);
    },
  );
});
