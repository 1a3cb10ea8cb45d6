import { inspect } from 'node:util';
import { ConfigError } from '../config/config-error.ts';
import { isUnavailable } from '../db/errors.ts';
import { NewerSchemaError } from '../db/migrations/migrate.ts';
import { AppError } from '../lib/error.ts';

const systemSentences: Readonly<Record<string, (error: NodeJS.ErrnoException) => string>> = {
  EADDRINUSE: (error) =>
    `Port ${portOf(error)} is in use: stop the program that listens on it, or set another PORT for this one.`,
  EADDRNOTAVAIL: () => 'This machine does not have the address in HOST: set HOST to one of its own addresses.',
  EACCES: (error) => `Permission is missing (${error.message}): correct the owner or mode of the file, or the PORT.`,
  EPERM: (error) => `Permission is missing (${error.message}): correct the owner or mode of the file.`,
  EROFS: (error) => `The file system is read-only (${error.message}): set DATA_DIR to a folder that can be written.`,
  ENOSPC: (error) => `The disk is full (${error.message}): free space on it.`,
  ENOTDIR: (error) => `A part of the path is no folder (${error.message}): set DATA_DIR to a folder.`,
  EEXIST: (error) => `A file is in the way (${error.message}): set DATA_DIR to a folder.`,
  ENOTFOUND: (error) => `A host name is unknown (${error.message}): check HOST and the database URLs.`,
};

/** What a failure means for the operator: no stack trace, unless `LOG_LEVEL` asks for it. */
export function explainFailure(error: unknown, env: NodeJS.ProcessEnv): string {
  const sentence = sentenceOf(error);
  const wantsCause = ['debug', 'trace'].includes(env['LOG_LEVEL'] ?? '');
  return wantsCause ? `${sentence}\n${inspect(error)}` : sentence;
}

/** One sentence for a failure, with what is known about its cause. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return `Something failed: ${String(error)}.`;
  if (error instanceof ConfigError) return error.message;
  if (error instanceof AppError) return withDetails(error);
  if (isOutage(error)) return withCause(error);
  const system = systemSentences[(error as NodeJS.ErrnoException).code ?? ''];
  if (system !== undefined) return system(error);
  if (isMeantForOperators(error)) return error.message;
  return `This should not happen (${error.name}: ${error.message}). Run it again with LOG_LEVEL=debug to see where.`;
}

// These answer plain booleans: as type guards they would take every error for theirs, because the classes add no field.
function isOutage(error: Error): boolean {
  return isUnavailable(error);
}

/** Our own failures are plain errors with a sentence; other classes are mistakes of the program. */
function isMeantForOperators(error: Error): boolean {
  return error.constructor === Error || error instanceof NewerSchemaError;
}

function withDetails({ message, details = [] }: AppError): string {
  return [message, ...details.map(({ field, message: problem }) => `- ${field} ${problem}`)].join('\n');
}

/** Databases say why they cannot be reached in the error below ours. */
function withCause(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const reason = cause.message || (cause as NodeJS.ErrnoException).code || cause.name;
  return `${error.message.replace(/[.]$/, '')} (${reason}).`;
}

function portOf(error: NodeJS.ErrnoException): string {
  return String(Reflect.get(error, 'port') ?? '');
}
