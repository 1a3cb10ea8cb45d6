import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * A reporter of Vitest that writes the number of tests, what failed, what passed only when it was repeated, and the duration
 * of each file, as JSON, to the path in TEST_REPORT.
 * The reporter `json` of Vitest leaves out the project of a file, its imports and its hooks.
 */
export default class TestReport {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state) => tests.filter((test) => test.result().state === state).length;
    const files = modules.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      return {
        path: relative(process.cwd(), module.moduleId),
        project: module.project.name,
        seconds: (collectDuration + setupDuration + duration) / 1000,
      };
    });
    const failures = [
      ...[...modules, ...tests].filter(isFailed).map(describeFailure),
      ...unhandledErrors.map(describeUnhandledError),
    ];
    const repeated = tests.filter((test) => test.diagnostic()?.flaky).map(describeFailure);
    const report = { testsPassed: count('passed'), testsFailed: count('failed'), failures, repeated, files };
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}

/** A file without an error of its own is left out: its failed tests say more. */
function isFailed(task) {
  return task.type === 'module' ? task.errors().length > 0 : task.result().state === 'failed';
}

function describeFailure(task) {
  const { relativeModuleId, project } = task.type === 'module' ? task : task.module;
  const [error] = task.type === 'module' ? task.errors() : task.result().errors;
  const name = task.type === 'module' ? '' : ` > ${task.fullName}`;
  return `|${project.name}| ${relativeModuleId}${name}: ${error?.message.split('\n')[0]}`;
}

/** An error that no test caught, such as a rejected promise or a worker that ended, fails the run without a failed test. */
function describeUnhandledError({ message, stack = '' }) {
  const place = stack.split('\n').find((line) => line.includes('/packages/')) ?? '';
  return `unhandled error: ${message.split('\n')[0]} ${place.trim()}`;
}
