import { readFileSync } from 'node:fs';
import { Driver } from './driver.ts';
import { groupNames, runGroup } from './groups.ts';

const usage = 'Usage: node run.mjs [--group NAME]… [--case TEXT] [--without FILE] -- COMMAND [ARGUMENT]…\n';

interface Selection {
  readonly groups: readonly string[];
  /** Only cases whose title contains this. */
  readonly titlePart: string;
  /** Why the language cannot have a case, by `group: title`, or a whole group. */
  readonly exceptions: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** Runs the cases against the driver of the command line. Prints the failures and a summary. Returns the exit code. */
export async function main(parameters: readonly string[]): Promise<number> {
  const selection = parse(parameters);
  if (selection === undefined) {
    process.stderr.write(`${usage}Groups: ${groupNames.join(', ')}\n`);
    return 2;
  }
  const all = await runGroups(selection);
  const outcomes = all.filter(({ name }) => selection.exceptions[name] === undefined);
  const without = all.length - outcomes.length;
  const failed = outcomes.filter(({ problems }) => problems.length > 0);
  for (const { name, problems } of failed) process.stdout.write(`FAILED ${name}\n  ${problems.join('\n  ')}\n`);
  const note = without === 0 ? '' : `, ${without} do not apply`;
  process.stdout.write(`${outcomes.length - failed.length} of ${outcomes.length} cases passed${note}\n`);
  return failed.length === 0 && outcomes.length > 0 ? 0 : 1;
}

async function runGroups({ groups: names, titlePart, exceptions, command }: Selection): Promise<NamedOutcome[]> {
  const driver = new Driver(command);
  try {
    const outcomes: NamedOutcome[] = [];
    for (const group of names) {
      if (exceptions[group] !== undefined) continue;
      const found = await runGroup(driver, group, titlePart);
      outcomes.push(...found.map(({ title, problems }) => ({ name: `${group}: ${title}`, problems })));
    }
    return outcomes;
  } finally {
    await driver.stop();
  }
}

/** The outcome of a case, whose name is `group: title`. */
interface NamedOutcome {
  readonly name: string;
  readonly problems: readonly string[];
}

function parse(parameters: readonly string[]): Selection | undefined {
  const separator = parameters.indexOf('--');
  const command = parameters.slice(separator + 1);
  const names: string[] = [];
  let titlePart = '';
  let exceptions = {};
  const options = separator < 0 ? [] : parameters.slice(0, separator);
  for (let index = 0; index < options.length; index += 2) {
    const value = options[index + 1];
    if (options[index] === '--group' && value !== undefined && groupNames.includes(value)) names.push(value);
    else if (options[index] === '--case' && value !== undefined) titlePart = value;
    else if (options[index] === '--without' && value !== undefined)
      exceptions = JSON.parse(readFileSync(value, 'utf8'));
    else return undefined;
  }
  if (separator < 0 || command.length === 0) return undefined;
  return { groups: names.length > 0 ? names : groupNames, titlePart, exceptions, command };
}
