import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repositoryRoot } from '../architecture/source-files.ts';

const bundledAt = new Date('2026-11-20T12:00:00Z');
const earlier = new Date('2026-11-20T11:59:59Z');
const later = new Date('2026-11-20T12:00:01Z');

let root: string;

function write(path: string, text: string, changedAt: Date): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, changedAt, changedAt);
}

function launch(): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const launcher = join(root, 'packages', 'server', 'bin', 'licensing.mjs');
  return spawnSync(process.execPath, [launcher], { encoding: 'utf8' });
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'licensing-launcher-'));
  cpSync(join(repositoryRoot, 'packages', 'server', 'bin'), join(root, 'packages', 'server', 'bin'), {
    recursive: true,
  });
  mkdirSync(join(root, 'node_modules', 'rolldown'), { recursive: true });
  write('packages/server/package.json', '{"type":"module"}', earlier);
  write('packages/server/src/main.ts', "console.log('sources' as string)", earlier);
  write('packages/server/src/lib/part.ts', '', earlier);
  write('packages/server/dist/main.mjs', "console.log('bundle')", bundledAt);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test('the launcher runs the bundle if no file of the program is newer', () => {
  write('packages/server/src/lib/part.test.ts', '', later);
  expect(launch()).toMatchObject({ status: 0, stdout: 'bundle\n' });
});

test('the launcher runs the sources if there is no bundle', () => {
  rmSync(join(root, 'packages', 'server', 'dist'), { recursive: true });
  expect(launch()).toMatchObject({ status: 0, stdout: 'sources\n' });
});

test.each(['packages/server/src/lib/part.ts', 'packages/server/src/page.html', 'packages/server/package.json'])(
  'the launcher runs the sources if %s changed after the bundle was made',
  (path) => {
    write(path, path.endsWith('.json') ? '{"type":"module"}' : '', later);
    expect(launch()).toMatchObject({ status: 0, stdout: 'sources\n' });
  },
);

test('a production installation whose sources changed says how to bundle them, and runs nothing', () => {
  rmSync(join(root, 'node_modules', 'rolldown'), { recursive: true });
  write('packages/server/src/main.ts', "console.log('sources')", later);
  const { status, stdout, stderr } = launch();
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('node scripts/setup.mjs --production');
});
