import type { AuditLogsTable } from '../../../db/tables/audit-logs.ts';
import { addressesOf, type Person } from '../personal-data/personal-data.ts';
import type { FieldChange } from './audit.ts';

/** Replaces erased names and addresses. */
const erased = '[erased]';

/** The fields that identify a user; records about the user contain their former values too. */
const ownFields = ['email', 'name'];

/**
 * Returns an audit record without a person's identifying data: the client address of the person's own actions, and the
 * person's name and e-mail address in any field. Returns undefined if nothing had to be changed.
 */
export function withoutPerson(row: AuditLogsTable, person: Person): AuditLogsTable | undefined {
  const isByPerson = row.actor_type === 'user' && row.actor_id === person.id;
  const isAboutPerson = row.resource_id === person.id;
  const text = row.changes_json.toLowerCase();
  const mentions = addressesOf(person).some((address) => text.includes(inJson(address)));
  if (!isByPerson && !isAboutPerson && !mentions) return undefined;
  const changes: FieldChange[] = JSON.parse(row.changes_json);
  const without = changes.map(({ field, old, new: after }) => {
    const isOwn = isAboutPerson && ownFields.includes(field);
    const clean = (value: unknown) => (isOwn && value !== null ? erased : withoutNames(value, person));
    return { field, old: clean(old), new: clean(after) };
  });
  const changed = { ...row, ip: isByPerson ? null : row.ip, changes_json: JSON.stringify(without) };
  return changed.ip === row.ip && changed.changes_json === row.changes_json ? undefined : changed;
}

/** Returns the text as it appears inside a JSON string. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function withoutNames(value: unknown, person: Person): unknown {
  if (typeof value === 'string') {
    const text = value.toLowerCase();
    const isOfPerson = value === person.name || addressesOf(person).some((address) => text.includes(address));
    return isOfPerson ? erased : value;
  }
  if (Array.isArray(value)) return value.map((item) => withoutNames(item, person));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutNames(item, person)]));
}
