#!/usr/bin/env node
// Runs every case against the driver of an SDK: `node run.mjs -- python3 my_driver.py`. README.md describes both.
// This file is plain JavaScript, because the system's Node runs it, which may be too old for TypeScript.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const parameters = process.argv.slice(2);
if (process.features.typescript) {
  const { main } = await import('./runner/main.ts');
  process.exitCode = await main(parameters);
} else process.exitCode = runOnProjectNode();

/** Runs this file on the Node that the repository installs. */
function runOnProjectNode() {
  const file = fileURLToPath(import.meta.url);
  const node = join(resolve(file, '../../../..'), 'node_modules', '.bin', 'node');
  if (existsSync(node)) return spawnSync(node, [file, ...parameters], { stdio: 'inherit' }).status ?? 1;
  process.stderr.write('The runner needs Node 22.18 or newer: run `node scripts/setup.mjs` in the repository first.\n');
  return 2;
}
