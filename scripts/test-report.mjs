import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * A reporter of Vitest that writes the number of tests and the duration of each file, as JSON, to the path in TEST_REPORT.
 * The reporter `json` of Vitest leaves out the project of a file, its imports and its hooks.
 */
export default class TestReport {
  onTestRunEnd(modules) {
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
    const report = { testsPassed: count('passed'), testsFailed: count('failed'), files };
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report));
  }
}
