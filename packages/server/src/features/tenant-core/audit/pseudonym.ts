import type { AuditLogsTable } from '../../../db/tables/audit-logs.ts';
import type { Person } from '../personal-data/personal-data.ts';
import type { FieldChange } from './audit.ts';

/** Stands where a name or an address stood. */
const erased = '[erased]';

/** The fields of a user's record that tell who it is, with values of before. */
const ownFields = ['email', 'name'];

/**
 * An audit record without what tells of a person: the client address of what the person did, and the name and the
 * e-mail address wherever they stand. Undefined for one that has nothing to do with the person.
 */
export function withoutPerson(row: AuditLogsTable, person: Person): AuditLogsTable | undefined {
  const isBy = row.actor_type === 'user' && row.actor_id === person.id;
  const isOfUser = row.resource_id === person.id;
  const mentions = row.changes_json.toLowerCase().includes(inJson(person.email.toLowerCase()));
  if (!isBy && !isOfUser && !mentions) return undefined;
  const changes: FieldChange[] = JSON.parse(row.changes_json);
  const without = changes.map(({ field, old, new: after }) => {
    const isOwn = isOfUser && ownFields.includes(field);
    const clean = (value: unknown) => (isOwn && value !== null ? erased : withoutNames(value, person));
    return { field, old: clean(old), new: clean(after) };
  });
  const changed = { ...row, ip: isBy ? null : row.ip, changes_json: JSON.stringify(without) };
  return changed.ip === row.ip && changed.changes_json === row.changes_json ? undefined : changed;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function withoutNames(value: unknown, person: Person): unknown {
  if (typeof value === 'string') {
    const isOfPerson = value.toLowerCase().includes(person.email.toLowerCase()) || value === person.name;
    return isOfPerson ? erased : value;
  }
  if (Array.isArray(value)) return value.map((item) => withoutNames(item, person));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutNames(item, person)]));
}
