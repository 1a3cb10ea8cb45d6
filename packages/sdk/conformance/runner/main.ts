import { Driver } from './driver.ts';
import { groupNames, runGroup } from './groups.ts';
import type { Outcome } from './outcome.ts';

const usage = 'Usage: node run.mjs [--group NAME]… [--case TEXT] -- COMMAND [ARGUMENT]…\n';

interface Selection {
  readonly groups: readonly string[];
  /** Only cases whose title contains this. */
  readonly titlePart: string;
  readonly command: readonly string[];
}

/** Runs the cases against the driver of the command line. Prints the failures and a summary. Returns the exit code. */
export async function main(parameters: readonly string[]): Promise<number> {
  const selection = parse(parameters);
  if (selection === undefined) {
    process.stderr.write(`${usage}Groups: ${groupNames.join(', ')}\n`);
    return 2;
  }
  const outcomes = await runGroups(selection);
  const failed = outcomes.filter(({ problems }) => problems.length > 0);
  process.stdout.write(`${outcomes.length - failed.length} of ${outcomes.length} cases passed\n`);
  return failed.length === 0 && outcomes.length > 0 ? 0 : 1;
}

async function runGroups({ groups: names, titlePart, command }: Selection): Promise<Outcome[]> {
  const driver = new Driver(command);
  try {
    const outcomes: Outcome[] = [];
    for (const name of names) {
      const found = await runGroup(driver, name, titlePart);
      for (const { title, problems } of found) {
        if (problems.length > 0) process.stdout.write(`FAILED ${name}: ${title}\n  ${problems.join('\n  ')}\n`);
      }
      outcomes.push(...found);
    }
    return outcomes;
  } finally {
    await driver.stop();
  }
}

function parse(parameters: readonly string[]): Selection | undefined {
  const separator = parameters.indexOf('--');
  const command = parameters.slice(separator + 1);
  const names: string[] = [];
  let titlePart = '';
  const options = separator < 0 ? [] : parameters.slice(0, separator);
  for (let index = 0; index < options.length; index += 2) {
    const value = options[index + 1];
    if (options[index] === '--group' && value !== undefined && groupNames.includes(value)) names.push(value);
    else if (options[index] === '--case' && value !== undefined) titlePart = value;
    else return undefined;
  }
  if (separator < 0 || command.length === 0) return undefined;
  return { groups: names.length > 0 ? names : groupNames, titlePart, command };
}
