import type { AuditRecord } from '../../api/audit-logs.ts';

/** The kinds of actors. */
export const actorTypes = ['user', 'admin', 'api_key', 'system', 'holder', 'connection'] as const;

/** Returns the actor in words. An erased user has no name. */
export function actorText({ actor_type, actor_name, actor_created_by }: AuditRecord): string {
  if (actor_name !== null) return actor_name;
  if (actor_type === 'system') return 'The service';
  if (actor_type === 'admin') return 'An admin of the platform';
  if (actor_type === 'api_key') return 'An API key';
  if (actor_type === 'holder') return 'The customer';
  if (actor_type === 'connection') return 'A shop connection';
  return actor_created_by === null ? 'A former user' : 'An access token';
}

/** Returns what kind of actor a name belongs to, where the name alone does not tell. */
export function actorKind({ actor_type, actor_name, actor_created_by }: AuditRecord): string | null {
  if (actor_name === null) return null;
  if (actor_type === 'api_key') return 'API key';
  if (actor_type === 'admin') return 'admin of the platform';
  return actor_created_by === null ? null : 'access token';
}
