import type { AuditRecord } from '../../api/audit-logs.ts';

type FieldChange = AuditRecord['changes'][number];

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns one change for each value that differs: a changed object becomes the changes of its own fields, such as
 * `retention_days.audit`.
 */
export function fieldChanges(changes: readonly FieldChange[]): FieldChange[] {
  return changes.flatMap((change) => {
    const { field, old: before, new: after } = change;
    if (!isRecord(before) || !isRecord(after)) return [change];
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    const parts = [...names].map((name) => ({
      field: `${field}.${name}`,
      old: before[name] ?? null,
      new: after[name] ?? null,
    }));
    const changed = parts.filter((part) => JSON.stringify(part.old) !== JSON.stringify(part.new));
    return fieldChanges(changed);
  });
}
