import { inspect } from 'node:util';
import { ConfigError } from '../config/environment-reader.ts';
import { isUnavailable } from '../db/errors.ts';
import { NewerSchemaError } from '../db/migrations/migrate.ts';
import { AppError, detailSentence } from '../lib/error.ts';

const systemSentences: Readonly<Record<string, (error: NodeJS.ErrnoException) => string>> = {
  EADDRINUSE: (error) =>
    `Port ${portOf(error)} is in use: stop the program that listens on it, or set another PORT for this one.`,
  EADDRNOTAVAIL: () => 'This machine does not have the address in HOST: set HOST to one of its own addresses.',
  EACCES: (error) =>
    `Permission denied (${error.message}): correct the owner or mode of the file, or set another PORT.`,
  EPERM: (error) => `Permission denied (${error.message}): correct the owner or mode of the file.`,
  EROFS: (error) => `The file system is read-only (${error.message}): set DATA_DIR to a writable folder.`,
  ENOSPC: (error) => `The disk is full (${error.message}): free space on it, or set another DATA_DIR.`,
  ENOTDIR: (error) => `A part of the path is not a folder (${error.message}): set DATA_DIR to a folder.`,
  EEXIST: (error) => `A file exists where a folder is needed (${error.message}): remove it, or set another DATA_DIR.`,
  ENOTFOUND: (error) => `A host name cannot be resolved (${error.message}): check HOST and the database URLs.`,
};

/** Explains a failure to the operator. Includes the stack trace only when `LOG_LEVEL` is `debug` or `trace`. */
export function explainFailure(error: unknown, env: NodeJS.ProcessEnv): string {
  const sentence = sentenceOf(error);
  const wantsCause = ['debug', 'trace'].includes(env['LOG_LEVEL'] ?? '');
  return wantsCause ? `${sentence}\n${inspect(error)}` : sentence;
}

/** Returns one sentence that describes a failure and its known cause. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error))
    return `An unknown failure occurred: ${String(error)}. Run the command again with LOG_LEVEL=debug for details.`;
  if (error instanceof ConfigError) return error.message;
  if (error instanceof AppError) return withDetails(error);
  if (isOutage(error)) return withCause(error);
  const system = systemSentences[(error as NodeJS.ErrnoException).code ?? ''];
  if (system !== undefined) return system(error);
  if (isMeantForOperators(error)) return error.message;
  return `Internal error (${error.name}: ${error.message}). Run the command again with LOG_LEVEL=debug for the stack trace.`;
}

// The next two functions return plain booleans: as type guards they would narrow every error, because the classes
// add no fields.
function isOutage(error: Error): boolean {
  return isUnavailable(error);
}

/** Plain `Error`s carry a sentence for operators; every other class indicates a bug in the program. */
function isMeantForOperators(error: Error): boolean {
  return error.constructor === Error || error instanceof NewerSchemaError;
}

function withDetails({ message, details = [] }: AppError): string {
  return [message, ...details.map((detail) => `- ${detailSentence(detail)}`)].join('\n');
}

/** Adds the message of the database driver's error, which states why the database is unreachable. */
function withCause(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const reason = cause.message || (cause as NodeJS.ErrnoException).code || cause.name;
  return `${error.message.replace(/[.]$/, '')} (${reason}).`;
}

function portOf(error: NodeJS.ErrnoException): string {
  return String(Reflect.get(error, 'port') ?? '');
}
