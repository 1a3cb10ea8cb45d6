// Runs what takes too long for `npm test`: the crash test with many kills, on both engines one after the other, and moves
// of tenants that are killed at every step, in every direction. Writes what came of the former to docs/soak.md. CRASH_SEED and CRASH_KILLS repeat a run or change its length.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'licensing-soak-'));
const report = join(folder, 'crash.jsonl');
const kills = process.env['CRASH_KILLS'] ?? '200';
const seed = process.env['CRASH_SEED'] ?? String(Math.floor(Math.random() * 2 ** 32));
const columns = ['engine', 'seed', 'kills', 'acknowledged', 'refused', 'unanswered', 'events', 'duplicates'];

const row = (cells) => `| ${cells.join(' | ')} |`;

function page(results) {
  return [
    '# The last soak',
    '',
    '`npm run test:soak` writes this page when everything passed. The service is killed with SIGKILL at random moments under',
    'load and started again on the same data. At the end every change that was acknowledged is there with its audit record',
    'and was told of by a signed event, no event tells of anything else, and no background work was given up.',
    'A whole run has 200 kills per engine; the table says how many this one had.',
    '`CRASH_SEED=… npm run test:soak` repeats the choices of a run, though not its timing.',
    '',
    row(columns),
    row(columns.map(() => '---')),
    ...results.map((result) => row(columns.map((column) => result[column]))),
    '',
    '- **unanswered**: requests that a kill left without an answer; each may have been carried out or not.',
    '- **duplicates**: deliveries that were repeated, because the process died before it wrote that they had arrived.',
    '',
  ].join('\n');
}

function runCrashTest(project) {
  const { status } = spawnSync('vitest', ['run', '--project', project, 'packages/server/test/crash'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CRASH_KILLS: kills, CRASH_SEED: seed, CRASH_REPORT: report },
  });
  return status === 0;
}

function runKilledMoves() {
  const { status } = spawnSync('vitest', ['run', '--project', 'postgres', 'packages/server/test/archive/killed-move'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MOVE_KILLS: 'all' },
  });
  return status === 0;
}

console.log(`${kills} kills per engine, seed ${seed}`);
const isGreen = runKilledMoves() && ['sqlite', 'postgres'].map(runCrashTest).every(Boolean);
if (isGreen && existsSync(report)) {
  const results = readFileSync(report, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  writeFileSync(join(root, 'docs', 'soak.md'), page(results));
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = isGreen ? 0 : 1;
