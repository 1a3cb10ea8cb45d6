// Runs the tests that take too long for `npm test`, on both engines one after the other: the crash test with many kills,
// every fault many times, and tenant moves that are killed at every step, in every direction. Writes the results to
// docs/soak.md. CRASH_SEED, CRASH_KILLS, FAULT_SEED and FAULT_ROUNDS repeat a run or change its length; `--crash`,
// `--faults` and `--moves` run one of the three and write nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'licensing-soak-'));
const only = process.argv[2];
const randomSeed = () => String(Math.floor(Math.random() * 2 ** 32));
const settings = {
  CRASH_KILLS: process.env['CRASH_KILLS'] ?? '200',
  CRASH_SEED: process.env['CRASH_SEED'] ?? randomSeed(),
  CRASH_REPORT: join(folder, 'crash.jsonl'),
  FAULT_ROUNDS: process.env['FAULT_ROUNDS'] ?? '20',
  FAULT_SEED: process.env['FAULT_SEED'] ?? randomSeed(),
  FAULT_REPORT: join(folder, 'faults.jsonl'),
  MOVE_KILLS: 'all',
};
const crashColumns = ['engine', 'seed', 'kills', 'acknowledged', 'refused', 'unanswered', 'events', 'duplicates'];
const faultColumns = ['engine', 'fault', 'rounds', 'acknowledged', 'events', 'unavailable', 'slowest'];

const row = (cells) => `| ${cells.join(' | ')} |`;

function table(columns, file) {
  const results = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(JSON.parse) : [];
  return [
    row(columns),
    row(columns.map(() => '---')),
    ...results.map((result) => row(columns.map((column) => result[column]))),
  ];
}

function page() {
  return [
    '# The last soak test',
    '',
    '`npm run test:soak` writes this page after a successful run.',
    '',
    '## Kills',
    '',
    'The test kills the service with SIGKILL at random moments under load and starts it again on the same data. At the end',
    'every acknowledged change exists with its audit record and was reported by a signed event, no event reports anything',
    'else, counters match the reported usage, and no background job is dead.',
    'A full run has 200 kills per engine; the table shows the number of this run.',
    '`CRASH_SEED=… npm run test:soak` repeats the random choices of a run, but not its timing.',
    '',
    ...table(crashColumns, settings.CRASH_REPORT),
    '',
    '- **unanswered**: requests without a response because of a kill; each may have taken effect or not.',
    '- **duplicates**: repeated deliveries, because the process died before it recorded their arrival.',
    '',
    '## Faults',
    '',
    `Dependencies of the service fail under load and recover while it runs (FAULT_SEED=${settings.FAULT_SEED}).`,
    'No response may be wrong, a 500 or hang, unaffected tenants are served, and at the end the same conditions hold.',
    'A full run has 20 rounds of each fault.',
    '',
    ...table(faultColumns, settings.FAULT_REPORT),
    '',
    '- **unavailable**: requests with the status 503; each may have taken effect or not.',
    '- **slowest**: the longest request, on the machine of the run and beside its other load.',
    '',
  ].join('\n');
}

function runTests(project, suites) {
  const { status } = spawnSync('vitest', ['run', '--project', project, `packages/server/test/${suites}`], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...settings },
  });
  return status === 0;
}

const runs = [
  { name: 'moves', suites: 'tenancy/move/killed-move', projects: ['postgres'] },
  { name: 'crash', suites: 'crash', projects: ['sqlite', 'postgres'] },
  { name: 'faults', suites: 'faults', projects: ['sqlite', 'postgres'] },
].filter(({ name }) => only === undefined || only === `--${name}`);
console.log(
  `${settings.CRASH_KILLS} kills (seed ${settings.CRASH_SEED}) and ${settings.FAULT_ROUNDS} rounds of faults`,
);
const isGreen = runs
  .flatMap(({ suites, projects }) => projects.map((project) => runTests(project, suites)))
  .every(Boolean);
if (isGreen && only === undefined) writeFileSync(join(root, 'docs', 'soak.md'), page());
rmSync(folder, { recursive: true, force: true });
process.exitCode = isGreen ? 0 : 1;
