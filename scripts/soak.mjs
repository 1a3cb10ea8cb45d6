// Runs the tests that take too long for `npm test`, on both engines: tenant moves that are killed at every step, the
// crash test with many kills, every fault many times, and an hour of mixed load. Writes docs/soak.md.
//
// `--moves`, `--crash`, `--faults` and `--load` run one of the four, and `--page` none; they add to the results in
// SOAK_RESULTS and write the page from everything in it. CRASH_SEED, CRASH_KILLS, FAULT_SEED, FAULT_ROUNDS, LOAD_SEED
// and LOAD_MINUTES repeat a run or change its length.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writePage } from './soak-page.mjs';

const root = resolve(import.meta.dirname, '..');
const results = process.env['SOAK_RESULTS'] ?? mkdtempSync(join(tmpdir(), 'licensing-soak-'));
mkdirSync(results, { recursive: true });
const only = process.argv[2];
const randomSeed = () => String(Math.floor(Math.random() * 2 ** 32));
const settings = {
  CRASH_KILLS: process.env['CRASH_KILLS'] ?? '200',
  CRASH_SEED: process.env['CRASH_SEED'] ?? randomSeed(),
  CRASH_REPORT: join(results, 'crash.jsonl'),
  FAULT_ROUNDS: process.env['FAULT_ROUNDS'] ?? '20',
  FAULT_SEED: process.env['FAULT_SEED'] ?? randomSeed(),
  FAULT_REPORT: join(results, 'faults.jsonl'),
  LOAD_MINUTES: process.env['LOAD_MINUTES'] ?? '60',
  LOAD_SEED: process.env['LOAD_SEED'] ?? randomSeed(),
  MOVE_KILLS: 'all',
};

function runTests(project, suites) {
  const env = { ...process.env, ...settings, LOAD_REPORT: join(results, `load-${project}.json`) };
  const args = ['run', '--project', project, `packages/server/test/${suites}`];
  const child = spawn('vitest', args, { cwd: root, stdio: 'inherit', env });
  return new Promise((done) => child.once('close', (code) => done(code === 0)));
}

/** Runs the projects one after another, because they would slow each other down. */
async function runInTurn(projects, suites) {
  let isGreen = true;
  for (const project of projects) isGreen = (await runTests(project, suites)) && isGreen;
  return isGreen;
}

const both = ['sqlite', 'postgres'];
const runs = {
  '--moves': () => runInTurn(['postgres'], 'tenancy/move/killed-move'),
  '--crash': () => runInTurn(both, 'crash'),
  '--faults': () => runInTurn(both, 'faults'),
  // The load mostly pauses, so the engines run at the same time.
  '--load': async () => (await Promise.all(both.map((project) => runTests(project, 'load')))).every(Boolean),
};
console.log(`The results are in ${results}; the seeds are ${JSON.stringify(settings, null, 2)}`);
const chosen = Object.entries(runs).filter(([name]) => only === undefined || only === name);
let isGreen = true;
for (const [, run] of chosen) isGreen = (await run()) && isGreen;
if (isGreen) writePage(root, results);
process.exitCode = isGreen ? 0 : 1;
