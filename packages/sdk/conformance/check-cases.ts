// Checks that the runner can fail: it runs the cases against drivers that call no SDK and give every call one answer.
import { join } from 'node:path';
import { Driver } from './runner/driver.ts';
import { runGroup } from './runner/groups.ts';

const careless = join(import.meta.dirname, 'drivers', 'careless.ts');

/** Answers that cases with the opposite expectation must refuse. No case expects the last one. */
const answers = [
  { result: { valid: true, code: 'LICENSE.VALID' } },
  { result: { valid: false, code: 'LICENSE.NOT_FOUND' } },
  { error: { code: 'DRIVER.CARELESS', message: 'No.', status: 200, details: [] } },
];

/** Functions without a network: a right answer may be among the careless ones, but not two of them. */
const offline = ['certificates', 'verdicts', 'webhooks', 'fingerprints', 'offline-files'];
/** A client that sends nothing is always wrong. */
const online = ['requests', 'responses', 'retries', 'guard', 'updates'];

/** Returns the titles of the cases that each answer passes. */
async function passedBy(group: string): Promise<string[]> {
  const passed: string[] = [];
  for (const answer of answers) {
    const driver = new Driver([process.execPath, careless, JSON.stringify(answer)]);
    const outcomes = await runGroup(driver, group, '');
    passed.push(...outcomes.filter(({ problems }) => problems.length === 0).map(({ title }) => title));
    await driver.stop();
  }
  return passed;
}

const weak: string[] = [];
for (const group of online) weak.push(...(await passedBy(group)));
for (const group of offline) {
  const passed = await passedBy(group);
  weak.push(...passed.filter((title, index) => passed.indexOf(title) !== index));
}
for (const title of weak) process.stdout.write(`FAILED: a driver without an SDK passes: ${title}\n`);
process.stdout.write(`${weak.length} cases are too weak\n`);
process.exitCode = weak.length === 0 ? 0 : 1;
