import type { Command, Option } from './command.ts';

const program = 'licensing';
const helpOption = ['-h, --help', 'Show this help.'] as const;

/** Returns the usage line of a command. */
export function usageOf(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => {
    const spelled = spelling(name, option);
    return option.required ? spelled : `[${spelled}]`;
  });
  return [program, command.name, ...(command.operands ?? []), ...options].join(' ');
}

const lineMax = 120;

/** Returns the usage in lines that fit a terminal, broken before an option. */
function usageLines(command: Command): string[] {
  const lines: string[] = [];
  let line = 'Usage:';
  for (const part of usageOf(command).split(/ (?=\[?--)/)) {
    if (line.length + 1 + part.length > lineMax) {
      lines.push(line);
      line = '      ';
    }
    line += ` ${part}`;
  }
  return [...lines, line];
}

function spelling(name: string, option: Option): string {
  return option.value === undefined ? `--${name}` : `--${name} ${option.value}`;
}

/** Returns the help text of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(
    ([name, option]) => [spelling(name, option), option.description] as const,
  );
  return [
    ...usageLines(command),
    '',
    command.summary,
    ...(command.details === undefined ? [] : ['', command.details]),
    '',
    'Options:',
    ...columns([...options, helpOption]),
  ].join('\n');
}

/** Returns the help text of the program, or of a group of its commands. */
export function overview(commands: readonly Command[]): string {
  return [
    `Usage: ${program} <command> [options]`,
    '',
    'Commands:',
    ...columns(commands.map((command) => [[command.name, ...(command.operands ?? [])].join(' '), command.summary])),
    '',
    'Options:',
    ...columns([helpOption, ['--version', 'Show the version, the commit and its time.']]),
    '',
    'Environment variables configure the program; docs/reference/configuration.md lists them.',
    `For details: "${program} <command> --help".`,
  ].join('\n');
}

/** Formats rows of two columns, with the second column aligned. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
