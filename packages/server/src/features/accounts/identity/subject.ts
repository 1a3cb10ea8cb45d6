import type { AdminsTable } from '../../../db/tables/platform/identity.ts';
import type { AuthenticatedAdmin } from '../../../http/routes/admin-route.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';

/** The kind of account that a token belongs to: `tenant` for users of tenants, `admin` for admins of the platform. */
export type Ability = 'tenant' | 'admin';

/** The key of a user or an admin. */
export interface SubjectName {
  readonly ability: Ability;
  readonly id: string;
}

/** The user or admin that a token belongs to. */
export type Subject =
  | { readonly ability: 'tenant'; readonly user: AuthenticatedUser }
  | { readonly ability: 'admin'; readonly admin: AuthenticatedAdmin };

/** Returns the id of the user or admin. */
export function subjectId(subject: Subject): string {
  return subject.ability === 'tenant' ? subject.user.id : subject.admin.id;
}

/** Returns the address with which the user or admin logs in. */
export function subjectEmail(subject: Subject): string {
  return subject.ability === 'tenant' ? subject.user.email : subject.admin.email;
}

/** Returns the columns of a user's row that callers may see. */
export function toUser(row: AuthenticatedUser): AuthenticatedUser {
  const { id, email, name, email_verified_at, created_at } = row;
  return { id, email, name, email_verified_at, created_at };
}

/** Returns the columns of an admin's row that callers may see. */
export function toAdmin(row: Pick<AdminsTable, keyof AuthenticatedAdmin>): AuthenticatedAdmin {
  const { id, email, name, role, created_at } = row;
  return { id, email, name, role, created_at };
}
