import { isIP } from 'node:net';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { checkedMetadata } from './field-check.ts';
import type { Note } from './finding.ts';
import { numberOf, type Resource, relatedId, textOf, timeOf } from './resource.ts';

const labelMaxLength = 255;

/** Our columns of a machine. */
export interface MappedMachine {
  readonly columns: Pick<
    ActivationsTable,
    'fingerprint' | 'name' | 'hostname' | 'platform' | 'ip' | 'metadata_json' | 'created_at' | 'last_heartbeat_at'
  >;
  readonly notes: readonly Note[];
}

/** Maps a machine. The import takes place at `at`. Returns the reason if the machine cannot be imported. */
export function mapMachine(machine: Resource, at: Timestamp): MappedMachine | { readonly refusal: Note } {
  const fingerprint = textOf(machine, 'fingerprint');
  if (fingerprint === null || fingerprint.length > labelMaxLength) {
    const message = `A fingerprint must have 1 to ${labelMaxLength} characters.`;
    return { refusal: { outcome: 'refused', field: 'fingerprint', message } };
  }
  const notes: Note[] = [];
  const created = timeOf(machine, 'created') ?? at;
  const createdAt = created > at ? at : created;
  const heartbeat = timeOf(machine, 'lastHeartbeat') ?? createdAt;
  const ip = textOf(machine, 'ip');
  const columns = {
    fingerprint,
    name: label(machine, 'name', notes),
    hostname: label(machine, 'hostname', notes),
    platform: label(machine, 'platform', notes),
    ip: ip !== null && isIP(ip) !== 0 ? ip : null,
    metadata_json: JSON.stringify(checkedMetadata(machine, notes)),
    created_at: createdAt,
    last_heartbeat_at: heartbeat > at ? at : heartbeat,
  };
  for (const field of ['cores', 'memory', 'disk', 'maxProcesses']) {
    const value = numberOf(machine, field) ?? 0;
    if (value > 0) notes.push({ outcome: 'left_out', field, value, message: 'There is no counterpart.' });
  }
  for (const field of ['owner', 'group']) {
    if (relatedId(machine, field) !== null)
      notes.push({ outcome: 'left_out', field, message: 'There is no counterpart.' });
  }
  return { columns, notes };
}

function label(machine: Resource, field: 'name' | 'hostname' | 'platform', notes: Note[]): string | null {
  const text = textOf(machine, field);
  if (text === null || text.length <= labelMaxLength) return text;
  notes.push({ outcome: 'adjusted', field, message: `The text was cut to ${labelMaxLength} characters.` });
  return text.slice(0, labelMaxLength);
}
