import type { AuditLogsTable } from '../../../db/tables/shared-tables.ts';

/** The actor of an audit record. */
export type NamedActor = Pick<AuditLogsTable, 'actor_type' | 'actor_id' | 'actor_created_by'>;

/** The display names of actors by id. An actor without an entry has no name. */
export type ActorNames = ReadonlyMap<string, string>;
