import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImageFiles, type ImageFiles } from '../../../../scripts/image-build.ts';
import { lineWith, runCurlLine, startServe } from '../commands/licensing.ts';

const folder = mkdtempSync(join(tmpdir(), 'licensing-image-'));
const installsWithinMs = 900_000;
let files: ImageFiles;

beforeAll(() => {
  files = buildImageFiles(folder);
}, installsWithinMs);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the image that the Dockerfile builds serves its health, the dashboard, the portal, the guides, and a validation', async () => {
  const launcher = join(files.installation, 'packages', 'server', 'bin', 'licensing.mjs');
  const env = { DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'warn' };
  const { address, output } = await startServe(['--demo'], env, files.node, launcher);
  for (const path of ['/health/ready', '/login', '/portal/demo', '/docs/', '/openapi.json']) {
    const response = await fetch(address + path);
    expect(response.status, path).toBe(200);
    expect((await response.arrayBuffer()).byteLength, path).toBeGreaterThan(0);
  }
  expect(await runCurlLine(lineWith(output.stdout, '/validate'))).toMatchObject({ body: { data: { valid: true } } });
});

test('the image contains no sources in TypeScript, no tests, and no packages besides those with native code', () => {
  const { installation } = files;
  expect(globSync('packages/*', { cwd: installation }).sort()).toEqual(
    ['dashboard', 'guides', 'portal', 'server'].map((name) => join('packages', name)),
  );
  expect(globSync('**/*.{ts,tsx}', { cwd: installation })).toEqual([]);
  expect(globSync('node_modules/{@*/*,[!@]*}', { cwd: installation }).sort()).toEqual([
    ...['dashboard', 'guides', 'portal', 'server'].map((name) => join('node_modules', '@licensing', name)),
    ...['argon2', `argon2-${process.platform}-${process.arch}-gnu`].map((name) =>
      join('node_modules', '@node-rs', name),
    ),
  ]);
});
