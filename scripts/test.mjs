// Runs every suite, two at a time, and prints a summary. The commands are the scripts `test:*` of the root package.json.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '..');
const isContinuousIntegration = process.env.CI === 'true';
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(temporaryFolder(), 'licensing-test-'));
// PostgreSQL runs as another user and must be able to enter the folder.
chmodSync(folder, 0o711);
const running = new Set();
// The suites write to a pipe, so they cannot detect whether the terminal shows colours.
const colors = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
const environment = { ...process.env, ...colors, TMPDIR: folder };

/**
 * Returns a folder in memory on Linux if there is enough of it: the suites create some thousand databases, each in a third
 * of the time that a disk takes, and no test can check whether data would survive a power failure.
 */
function temporaryFolder() {
  const inMemory = '/dev/shm';
  const neededBytes = 6 * 1024 ** 3;
  if (process.platform !== 'linux' || !existsSync(inMemory) || freemem() < 2 * neededBytes) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize < neededBytes ? tmpdir() : inMemory;
}

/** The longest suite first, so that the short ones run beside it. */
const suites = [
  'http',
  'dashboard',
  'sdk',
  'guides',
  'examples',
  'types',
  'lint',
  'dead-code',
  'openapi',
  'unit',
  'python',
  'conformance',
  // Every screen, which takes minutes, only where nobody waits for it.
  ...(isContinuousIntegration ? ['dashboard-screens'] : []),
].map(suiteOf);
/** The suites that measure times. They run one by one after the others. */
const measuringSuites = isContinuousIntegration ? ['lighthouse'].map(suiteOf) : [];

function suiteOf(name) {
  return { name, command: scripts[`test:${name}`], report: join(folder, `${name}.json`) };
}

function commandLine(suite) {
  if (!suite.command.startsWith('vitest ')) return suite.command;
  return `${suite.command} --reporter=default --reporter=json --outputFile.json=${suite.report}`;
}

function printLines(stream, name) {
  createInterface({ input: stream }).on('line', (line) => console.log(`[${name}] ${line}`));
}

function runSuite(suite) {
  const startedAtMs = performance.now();
  return new Promise((done) => {
    // A separate process group, so that stopping a suite stops every process that it started.
    const child = spawn(commandLine(suite), {
      cwd: root,
      env: environment,
      shell: true,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    printLines(child.stdout, suite.name);
    printLines(child.stderr, suite.name);
    child.on('close', (code) => {
      running.delete(child);
      done({
        name: suite.name,
        passed: code === 0,
        seconds: (performance.now() - startedAtMs) / 1000,
        ...countTests(suite),
      });
    });
  });
}

function countTests(suite) {
  if (!existsSync(suite.report)) return { testsPassed: 0, testsFailed: 0 };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(suite.report, 'utf8'));
  return { testsPassed: numPassedTests, testsFailed: numFailedTests };
}

async function runSuites(suites, concurrency) {
  const waiting = [...suites];
  const results = [];
  const work = async () => {
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) results.push(await runSuite(suite));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}

function printSummary(results) {
  console.log(`\n${'suite'.padEnd(20)}${'result'.padEnd(8)}${'seconds'.padStart(8)}${'tests'.padStart(8)}`);
  for (const { name, passed, seconds, testsPassed, testsFailed } of results) {
    const tests = testsPassed + testsFailed;
    console.log(
      name.padEnd(20) +
        (passed ? 'ok' : 'FAILED').padEnd(8) +
        seconds.toFixed(1).padStart(8) +
        String(tests === 0 ? '' : tests).padStart(8),
    );
  }
  // Each suite counts as one more check, so that a suite that breaks before its first test is a failure too.
  const sum = (pick) => results.reduce((total, result) => total + pick(result), 0);
  const passed = sum((result) => result.testsPassed + (result.passed ? 1 : 0));
  const failed = sum((result) => result.testsFailed + (result.passed ? 0 : 1));
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of running) process.kill(-child.pid, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });
}

const results = [...(await runSuites(suites, 2)), ...(await runSuites(measuringSuites, 1))];
const isGreen = printSummary(results);
rmSync(folder, { recursive: true, force: true });
process.exitCode = isGreen ? 0 : 1;
