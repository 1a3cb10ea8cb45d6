import type { Static, TSchema } from 'typebox';
import { compileValidator } from '../http/validation.ts';
import { AppError, detailSentence } from '../lib/error.ts';
import { isUuid } from '../lib/ids.ts';
import { UsageError } from './command.ts';

/**
 * Validates option values against the schema of the corresponding API request, so that both reject the same values.
 * `optionNames` maps field names to option names. Throws a `UsageError` that lists every invalid option.
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
  const problems = (error.details ?? []).map(({ field, message }) =>
    detailSentence({ field: optionNames[field] ?? field, message }),
  );
  throw new UsageError(problems.join(' '));
}

/** Throws a `UsageError` unless `id` is a UUID, before any database is opened. */
export function assertTenantId(id: string): void {
  if (!isUuid(id)) throw new UsageError(`"${id}" is not a tenant id: "licensing tenants list" shows the ids.`);
}
