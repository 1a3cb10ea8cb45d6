// Writes openapi.json from the routes; with --check it compares the committed file with them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const file = resolve(root, 'openapi.json');
const maxOutputBytes = 64 * 1024 * 1024;

function generate() {
  const { status, stdout } = spawnSync(process.execPath, ['packages/server/scripts/openapi.ts'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: maxOutputBytes,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) {
    console.error('packages/server/scripts/openapi.ts failed: openapi.json is unchanged.');
    process.exit(1);
  }
  return stdout;
}

function firstDifference(committed, generated) {
  const before = committed.split('\n');
  const after = generated.split('\n');
  const line = after.findIndex((text, index) => text !== before[index]);
  const index = line === -1 ? after.length : line;
  return `line ${index + 1}:\n  committed: ${before[index] ?? '(end)'}\n  generated: ${after[index] ?? '(end)'}`;
}

const generated = generate();
if (process.argv.includes('--check')) {
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (committed !== generated) {
    console.error(`openapi.json is not what the routes describe, ${firstDifference(committed, generated)}`);
    console.error('Run `npm run openapi`, review the difference and commit it.');
    process.exit(1);
  }
  console.log('openapi.json matches the routes.');
} else {
  writeFileSync(file, generated);
  console.log('Wrote openapi.json.');
}
