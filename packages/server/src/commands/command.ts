import type { Readable } from 'node:stream';
import type { ParseArgsOptionDescriptor } from 'node:util';

/** An option of a command, as `node:util` parses it and as `--help` shows it. */
export interface Option extends ParseArgsOptionDescriptor {
  readonly description: string;
  /** The placeholder for the value of a `string` option in the help: `EMAIL`. */
  readonly value?: string;
  readonly required?: true;
}

type OptionValue<Descriptor extends Option> = {
  readonly string: string;
  readonly boolean: boolean;
}[Descriptor['type']];

/** The values of a command's options. A required option is always set; any other absent one is undefined. */
export type OptionValues<Options extends Record<string, Option>> = {
  readonly [Name in keyof Options]: Options[Name] extends { readonly required: true }
    ? OptionValue<Options[Name]>
    : OptionValue<Options[Name]> | undefined;
};

/** The process in which a command runs. It is a parameter, so that commands use no globals. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  /** True when standard error is a terminal. */
  readonly isInteractive: boolean;
  /** Writes a line of the result to standard output, which other programs may read. */
  print(line: string): void;
  /** Writes a line for people to standard error. */
  note(line: string): void;
  /** Replaces the current line of standard error, to show progress. Use it only if `isInteractive`. */
  progress(line: string): void;
}

interface Invocation<Options extends Record<string, Option>> {
  readonly terminal: Terminal;
  readonly values: OptionValues<Options>;
  /** The operands: one for each of the command's `operands`. */
  readonly operands: readonly string[];
}

/** The exit codes of the process: success, an explained failure, or an invalid command line. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** One command of the command line. */
export interface Command {
  /** One or two words: `serve`, `tenants list`. */
  readonly name: string;
  /** One line for the overview. */
  readonly summary: string;
  /** Further lines for the command's own help. */
  readonly details?: string;
  /** The names of the arguments after the command: all of them are required. */
  readonly operands?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  run(invocation: Invocation<Record<string, Option>>): Promise<ExitCode>;
}

/** Declares a command; its `run` gets values with the types of its options. */
export function defineCommand<const Options extends Record<string, Option>>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: Options;
    readonly run: (invocation: Invocation<Options>) => Promise<ExitCode>;
  },
): Command {
  return command as Command;
}

/** An invalid command line. The message states the reason in one sentence. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}
