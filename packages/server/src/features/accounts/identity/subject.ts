import type { AdminsTable } from '../../../db/tables/platform/identity.ts';
import type { AuthenticatedAdmin } from '../../../http/routes/admin-route.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';

/** Which of the two token guards: users of tenants, or admins of the platform. */
export type Ability = 'tenant' | 'admin';

/** Who a token belongs to. */
export type Subject =
  | { readonly ability: 'tenant'; readonly user: AuthenticatedUser }
  | { readonly ability: 'admin'; readonly admin: AuthenticatedAdmin };

/** The user's id or the admin's. */
export function subjectId(subject: Subject): string {
  return subject.ability === 'tenant' ? subject.user.id : subject.admin.id;
}

/** The address that the user or the admin logs in with. */
export function subjectEmail(subject: Subject): string {
  return subject.ability === 'tenant' ? subject.user.email : subject.admin.email;
}

/** What callers may see of a user's row. */
export function toUser(row: AuthenticatedUser): AuthenticatedUser {
  const { id, email, name, email_verified_at, created_at } = row;
  return { id, email, name, email_verified_at, created_at };
}

/** What callers may see of an admin's row. */
export function toAdmin(row: Pick<AdminsTable, keyof AuthenticatedAdmin>): AuthenticatedAdmin {
  const { id, email, name, role, created_at } = row;
  return { id, email, name, role, created_at };
}
