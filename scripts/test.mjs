// Runs the quick or the long tests, two processes at a time, and prints a summary. `test.mjs` runs the quick tests, which are
// `npm test`; `test.mjs long` the long ones. The commands are the scripts `test:*` of the root package.json;
// vitest.config.ts says which test files are quick and which are long.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '..');
const tests = process.argv[2] ?? 'quick';
const slowestShown = 20;
/** The lines of output that the summary repeats of a command that failed and reports no failures. */
const linesKept = 15;
/** The most time without a line of output. The longest test file needs 14 minutes. */
const silenceMaxMs = 25 * 60_000;
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(temporaryFolder(), 'licensing-test-'));
// PostgreSQL runs as another user and must be able to enter the folder.
chmodSync(folder, 0o711);
const running = new Set();
let countedCpuMinutes = 0;
// The suites write to a pipe, so they cannot detect whether the terminal shows colours.
const colors = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
// The budgets measure flushes to a disk.
const environment = (name) => ({
  ...process.env,
  ...colors,
  TESTS: tests,
  TMPDIR: name === 'budgets' ? tmpdir() : folder,
});

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

/**
 * Suites of Vitest that occupy two processors. Two of them at the same time take a tenth longer than one after the other, and
 * each test takes twice as long.
 */
const largeSuites = ['http', 'dashboard'];
/** The other suites of Vitest. The longest comes first, so that the others run beside it. */
const smallSuites = ['guides', 'portal', 'sdk', 'unit'];
const suitesOfTests = {
  quick: { small: [...smallSuites, 'types', 'lint', 'dead-code', 'openapi'], measuring: [] },
  // These measure times, so they run one by one after the others.
  long: {
    small: [...smallSuites, 'examples', 'python', 'conformance', 'native'],
    measuring: ['lighthouse', 'budgets'],
  },
};

function suiteOf(name) {
  return { name, command: scripts[`test:${name}`], report: join(folder, `${name}.json`) };
}

function commandLine(suite) {
  if (!suite.command.startsWith('vitest ')) return suite.command;
  const workers = smallSuites.includes(suite.name) ? 1 : 2;
  return `${suite.command} --passWithNoTests --maxWorkers=${workers} --reporter=default --reporter=./scripts/test-report.mjs`;
}

function printLines(stream, name, onLine) {
  createInterface({ input: stream }).on('line', (line) => {
    console.log(`[${name}] ${line}`);
    onLine(line);
  });
}

/** Returns the minutes of CPU of every process that this one started and that has ended; Linux alone reports them. */
function cpuMinutesOfChildren() {
  if (process.platform !== 'linux') return 0;
  // The name of the program, which may contain spaces, ends with the last parenthesis.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const ticksPerSecond = 100;
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond / 60;
}

function runSuite(suite) {
  const startedAtMs = performance.now();
  return new Promise((done) => {
    // A separate process group, so that stopping a suite stops every process that it started.
    const child = spawn(commandLine(suite), {
      cwd: root,
      env: { ...environment(suite.name), TEST_REPORT: suite.report },
      shell: true,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    // A program that hangs must not cost the results of the other suites.
    const watchdog = setTimeout(() => {
      console.log(`[${suite.name}] stopped after ${silenceMaxMs / 60_000} minutes without output`);
      process.kill(-child.pid, 'SIGKILL');
    }, silenceMaxMs);
    const lines = [];
    const onLine = (line) => {
      watchdog.refresh();
      lines.push(line);
    };
    printLines(child.stdout, suite.name, onLine);
    printLines(child.stderr, suite.name, onLine);
    child.on('close', (code) => {
      clearTimeout(watchdog);
      running.delete(child);
      // The system adds the time of a process and of its children when it ends.
      const cpuMinutes = cpuMinutesOfChildren() - countedCpuMinutes;
      countedCpuMinutes += cpuMinutes;
      done({
        name: suite.name,
        passed: code === 0,
        seconds: (performance.now() - startedAtMs) / 1000,
        cpuMinutes,
        ...readReport(suite, lines),
      });
    });
  });
}

/** Returns what a suite wrote into its report; a command that writes none failed with the last lines of its output. */
function readReport({ report }, lines) {
  // The budgets write a report without repeated tests.
  const nothing = { testsPassed: 0, testsFailed: 0, failures: [], repeated: [], files: [] };
  const found = { ...nothing, ...(existsSync(report) && JSON.parse(readFileSync(report, 'utf8'))) };
  if (found.failures.length > 0) return found;
  const named = lines.filter((line) => line.startsWith('FAILED ')).map((line) => line.slice('FAILED '.length));
  return { ...found, failures: (named.length > 0 ? named : lines).slice(-linesKept) };
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

function printSlowestFiles(results) {
  const files = results.flatMap((result) => result.files).sort((left, right) => right.seconds - left.seconds);
  console.log(`\nThe ${slowestShown} slowest files, in seconds:`);
  for (const { path, project, seconds } of files.slice(0, slowestShown)) {
    console.log(`${seconds.toFixed(1).padStart(8)}  ${project.padEnd(10)}${path}`);
  }
}

/** Prints one line for each failure and each repeated test, which `.ci/run` repeats at its end. */
function printFailures(results) {
  console.log();
  for (const { name, repeated } of results)
    for (const line of repeated) console.log(`PASSED ONLY AGAIN ${name} ${line}`);
  for (const { name, failures } of results.filter((result) => !result.passed)) {
    for (const line of failures) console.log(`FAILED ${name} ${line}`);
  }
}

function printSummary(results) {
  console.log(
    `\n${'suite'.padEnd(20)}${'result'.padEnd(8)}${'seconds'.padStart(8)}${'CPU min'.padStart(9)}${'tests'.padStart(8)}`,
  );
  for (const { name, passed, seconds, cpuMinutes, testsPassed, testsFailed } of results) {
    const tests = testsPassed + testsFailed;
    console.log(
      name.padEnd(20) +
        (passed ? 'ok' : 'FAILED').padEnd(8) +
        seconds.toFixed(1).padStart(8) +
        cpuMinutes.toFixed(1).padStart(9) +
        String(tests === 0 ? '' : tests).padStart(8),
    );
  }
  // Each suite counts as one more check, so that a suite that breaks before its first test is a failure too.
  const sum = (pick) => results.reduce((total, result) => total + pick(result), 0);
  const passed = sum((result) => result.testsPassed + (result.passed ? 1 : 0));
  const failed = sum((result) => result.testsFailed + (result.passed ? 0 : 1));
  const seconds = performance.now() / 1000;
  console.log(`\n${seconds.toFixed(0)} seconds, ${cpuMinutesOfChildren().toFixed(1)} minutes of CPU`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of running) process.kill(-child.pid, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    process.exit(1);
  });
}

const { small, measuring } = suitesOfTests[tests];
const results = [
  ...(await runSuites(largeSuites.map(suiteOf), 1)),
  ...(await runSuites(small.map(suiteOf), 2)),
  ...(await runSuites(measuring.map(suiteOf), 1)),
];
printSlowestFiles(results);
printFailures(results);
const isGreen = printSummary(results);
rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
process.exitCode = isGreen ? 0 : 1;
