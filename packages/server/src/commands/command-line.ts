import { parseArgs } from 'node:util';
import { idOrText } from '../lib/ids.ts';
import { build, fullVersion } from '../version.ts';
import {
  type Command,
  type ExitCode,
  exitCodes,
  type Option,
  type OptionValues,
  type Terminal,
  UsageError,
} from './command.ts';
import { explainFailure } from './failure.ts';
import { commandHelp, overview, usageOf } from './help.ts';

/** Runs one command line and returns the exit code of the process. Failures are explained on standard error. */
export async function runCommandLine(
  commands: readonly Command[],
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  let command: Command | undefined;
  try {
    const [first = ''] = args;
    if (first === '--version') return show(terminal, `${fullVersion} ${build.committedAt}`.trim());
    if (first === '--help' || first === '-h') return show(terminal, overview(commands));
    command = findCommand(commands, args);
    if (command === undefined) return explainMissingCommand(commands, args, terminal);
    const rest = args.slice(command.name.split(' ').length);
    if (hasHelpOption(rest)) return show(terminal, commandHelp(command));
    return await command.run({ terminal, ...parse(command, rest) });
  } catch (error) {
    if (error instanceof UsageError) return refuse(terminal, error.message, command);
    terminal.note(explainFailure(error, terminal.env));
    return exitCodes.failed;
  }
}

function show(terminal: Terminal, text: string): ExitCode {
  terminal.print(text);
  return exitCodes.done;
}

function refuse(terminal: Terminal, sentence: string, command: Command | undefined): ExitCode {
  terminal.note(sentence);
  terminal.note(command === undefined ? 'Usage: licensing --help' : `Usage: ${usageOf(command)}`);
  return exitCodes.usage;
}

/** Returns the command whose name is the longest match (two words, else one) at the start of the arguments. */
function findCommand(commands: readonly Command[], args: readonly string[]): Command | undefined {
  const named = (name: string) => commands.find((command) => command.name === name);
  return named(args.slice(0, 2).join(' ')) ?? named(args[0] ?? '');
}

/** Handles arguments without a command: `tenants --help` shows the commands of a group, all else is a usage error. */
function explainMissingCommand(commands: readonly Command[], args: readonly string[], terminal: Terminal): ExitCode {
  const [first, second] = args;
  const group = commands.filter((command) => command.name.startsWith(`${first} `));
  if (group.length > 0 && hasHelpOption(args.slice(1))) return show(terminal, overview(group));
  if (first === undefined) terminal.note('The command is missing.');
  else if (group.length === 0) terminal.note(`Unknown command "${first}".`);
  else if (second === undefined) terminal.note(`The command after "${first}" is missing.`);
  else terminal.note(`Unknown command "${first} ${second}".`);
  terminal.note(overview(group.length > 0 ? group : commands));
  return exitCodes.usage;
}

function hasHelpOption(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === '--help' || arg === '-h');
}

function parse(command: Command, args: readonly string[]) {
  const { values, positionals } = parseStrictly(command, args);
  const expected = command.operands ?? [];
  const missing = expected[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  const surplus = positionals[expected.length];
  if (surplus !== undefined) throw new UsageError(`Unexpected argument "${surplus}".`);
  const operands = positionals.map((text, at) => (/^(?:ID|SUBJECT)/.test(expected[at] ?? '') ? idOrText(text) : text));
  for (const [name, option] of Object.entries(command.options)) {
    const value = values[name];
    if (option.required && value === undefined) throw new UsageError(`The option --${name} is missing.`);
    // Other values may be names of files.
    if (option.value === 'ID' && typeof value === 'string') values[name] = idOrText(value);
    if (value === '') throw new UsageError(`The option --${name} needs a value.`);
  }
  return { values: values as OptionValues<Record<string, Option>>, operands };
}

function parseStrictly(command: Command, args: readonly string[]) {
  const options = Object.fromEntries(Object.entries(command.options).map(([name, { type }]) => [name, { type }]));
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(firstSentence((error as Error).message), { cause: error });
  }
}

/** Drops the rest of Node's message: advice about "--", which does not apply to these commands. */
function firstSentence(message: string): string {
  return `${message.split(/\.?(?:\s*\n|\.\s|$)/)[0]}.`;
}
