// Runs the conformance cases against the SDKs of this repository, one after the other.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'packages', 'sdk', 'conformance');
const runner = join(folder, 'run.mjs');
const python = ['/usr/bin/python3', join(root, 'sdks', 'python', 'conformance_driver.py')];

function groupOptions(...names) {
  return names.flatMap((name) => ['--group', name]);
}

const steps = {
  'cases can fail': [join(folder, 'check-cases.ts')],
  TypeScript: [runner, '--', process.execPath, join(folder, 'drivers', 'typescript.ts')],
  Python: [runner, '--', ...python],
  // The functions that need no network are the same.
  'Python, asynchronous': [
    runner,
    ...groupOptions('requests', 'responses', 'retries', 'guard', 'live'),
    '--',
    ...python,
    '--async',
  ],
};

for (const [name, parameters] of Object.entries(steps)) {
  console.log(`${name}:`);
  const { status } = spawnSync(process.execPath, parameters, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
