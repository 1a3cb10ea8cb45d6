import type { PlatformTransaction } from '../../../db/database.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { deleteRows, insertRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { FeatureFlagsTable } from '../../../db/tables/platform/operations.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { JsonObject } from '../../../lib/json-object.ts';
import type { PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, createdFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { countFlags, renewRevision } from './queries.ts';
import type { CreateFeatureFlag, FeatureFlag, UpdateFeatureFlag } from './schemas.ts';

const auditOf = auditsOf('feature_flag');

const auditedFields = ['key', 'description', 'definition'] as const;

/** The maximum number of flags. Each bulk evaluation evaluates all of them. */
const flagsMax = 1000;

/** Returns a flag as admins see it, with its definition parsed. */
export function presentFlag({ definition_json, created_at, updated_at, ...rest }: FeatureFlagsTable): FeatureFlag {
  return { ...rest, definition: JSON.parse(definition_json), created_at, updated_at };
}

/**
 * Creates a flag, which every node evaluates from the next request on. Throws 422 for a definition that flagd cannot
 * evaluate, 409 `FEATURE_FLAG.KEY_TAKEN` and 409 `FEATURE_FLAG.TOO_MANY`.
 */
export async function createFlag(
  services: PlatformServices,
  actor: Actor,
  input: CreateFeatureFlag,
): Promise<FeatureFlagsTable> {
  await assertEvaluable(input.definition);
  return await changingFlags(services, async (tx) => {
    if ((await countFlags(tx)) >= flagsMax) {
      throw new AppError('FEATURE_FLAG.TOO_MANY', `There are already ${flagsMax} flags. Delete unused flags first.`);
    }
    const at = services.clock.now();
    const { key, description = null, definition } = input;
    const stored = { key, description, definition_json: JSON.stringify(definition) };
    const row = { id: newId(), ...stored, created_at: at, updated_at: at };
    await insertRow(tx, 'feature_flags', row);
    const changes = createdFields(presentFlag(row), auditedFields);
    await recordPlatformAudit(tx, actor, { ...auditOf(row.id, 'FEATURE_FLAG.CREATED'), changes, at });
    return row;
  });
}

/** Changes the fields that are present. Throws as `createFlag` does, and 404 `RESOURCE.NOT_FOUND`. */
export async function updateFlag(
  services: PlatformServices,
  actor: Actor,
  id: string,
  input: UpdateFeatureFlag,
): Promise<FeatureFlagsTable> {
  if (input.definition !== undefined) await assertEvaluable(input.definition);
  return await changingFlags(services, async (tx) => {
    const before = orThrow(await lockRow(tx, 'feature_flags', id), flagNotFound);
    const at = services.clock.now();
    const after = { ...applyInput(before, input), updated_at: at };
    const changes = changedFields(presentFlag(before), presentFlag(after), auditedFields);
    if (changes.length === 0) return before;
    await updateRows(tx, 'feature_flags', after.id, after);
    await recordPlatformAudit(tx, actor, { ...auditOf(id, 'FEATURE_FLAG.UPDATED'), changes, at });
    return after;
  });
}

/**
 * Deletes a flag. Applications that evaluate it then use the default in their code. Throws 404 `RESOURCE.NOT_FOUND`.
 */
export async function deleteFlag(services: PlatformServices, actor: Actor, id: string): Promise<void> {
  await changingFlags(services, async (tx) => {
    if ((await lockRow(tx, 'feature_flags', id)) === undefined) throw flagNotFound();
    await deleteRows(tx, 'feature_flags', id);
    await recordPlatformAudit(tx, actor, { ...auditOf(id, 'FEATURE_FLAG.DELETED'), at: services.clock.now() });
  });
}

/** Returns the error for an id that no flag has. */
export function flagNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such feature flag. List the flags to find its id.');
}

/**
 * Runs a change of the flags in a transaction that also sets a new revision. Changes run one after the other, and no
 * node uses the previous flags after the commit.
 */
function changingFlags<Result>(
  services: PlatformServices,
  change: (tx: PlatformTransaction) => Promise<Result>,
): Promise<Result> {
  return services.platform
    .transaction(async (tx) => {
      await renewRevision(tx, newId());
      return await change(tx);
    })
    .catch(explainConflict);
}

function explainConflict(cause: unknown): never {
  if (!isUniqueViolation(cause)) throw cause;
  const details = [{ field: 'key', message: 'Another flag has this key. Choose another one.' }];
  throw new AppError('FEATURE_FLAG.KEY_TAKEN', 'Another flag has this key. Choose another key.', { details, cause });
}

/** Throws 422 for a definition that flagd cannot evaluate, with the path of every mistake. */
export async function assertEvaluable(definition: JsonObject): Promise<void> {
  const { definitionProblems } = await import('./definition.ts');
  const problems = definitionProblems(definition);
  if (problems.length > 0) throw validationError(...problems);
}

function applyInput(row: FeatureFlagsTable, input: UpdateFeatureFlag): FeatureFlagsTable {
  return {
    ...row,
    key: input.key ?? row.key,
    description: input.description === undefined ? row.description : input.description,
    definition_json: input.definition === undefined ? row.definition_json : JSON.stringify(input.definition),
  };
}
