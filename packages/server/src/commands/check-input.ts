import type { Static, TSchema } from 'typebox';
import { compileValidator } from '../http/validation.ts';
import { AppError } from '../lib/error.ts';
import { UsageError } from './command.ts';

/**
 * Checks what the options say with the schema of the API's own request, so that both refuse the same.
 * `optionNames` translates the fields. Throws a `UsageError` that names every bad option.
 */
export function checkInput<Schema extends TSchema>(
  schema: Schema,
  input: Readonly<Record<string, unknown>>,
  optionNames: Readonly<Record<string, string>>,
): Static<Schema> {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const validate = compileValidator({ schema, method: '', url: '', httpPart: 'body' });
  const { error } = validate(given) as { error?: unknown };
  if (error === undefined) return given as Static<Schema>;
  if (!(error instanceof AppError)) throw error;
  const problems = (error.details ?? []).map(({ field, message }) => `${optionNames[field] ?? field} ${message}`);
  throw new UsageError(`${problems.join('; ')}.`);
}
