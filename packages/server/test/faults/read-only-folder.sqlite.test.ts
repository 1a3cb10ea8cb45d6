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

/** Root is refused nothing, so that root's tests run the program as somebody else. */
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

function eachPath(folder: string, act: (path: string) => void): void {
  act(folder);
  for (const name of readdirSync(folder, { recursive: true }) as string[]) act(join(folder, name));
}

/** Takes the right to write away, and gives everything to whoever runs the program. */
function makeReadOnly(folder: string): void {
  eachPath(folder, (path) => {
    if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid);
    chmodSync(path, statSync(path).isDirectory() ? 0o500 : 0o400);
  });
  // In the order in which folders can still be entered.
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
    'that holds $holding is refused at the start, with a sentence that says what to do',
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
