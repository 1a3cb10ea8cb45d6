import type { AuthenticatedAdmin } from '../../../http/routes/admin-route.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import type { Admin } from './stored-admin.ts';

/** The kind of account that a token belongs to: `tenant` for users of tenants, `admin` for admins of the platform. */
export type Ability = 'tenant' | 'admin';

/** The key of a user or an admin. */
export interface SubjectName {
  readonly ability: Ability;
  readonly id: string;
}

interface SubjectKind {
  readonly table: 'users' | 'admins';
  /** The type in audit records, of the actor and of the account. */
  readonly auditType: 'user' | 'admin';
  /** The setting with the lifetime of a session in milliseconds. */
  readonly sessionLifetime: 'userTokenTtlMs' | 'adminTokenTtlMs';
  /** The page of the dashboard on which the person manages the account. */
  readonly accountPage: '/account' | '/admin/account';
}

/** All differences between users and admins for the code that serves both. */
export const subjectKinds: Readonly<Record<Ability, SubjectKind>> = {
  tenant: { table: 'users', auditType: 'user', sessionLifetime: 'userTokenTtlMs', accountPage: '/account' },
  admin: { table: 'admins', auditType: 'admin', sessionLifetime: 'adminTokenTtlMs', accountPage: '/admin/account' },
};

/** The user or admin that a token belongs to. */
export type Subject =
  | { readonly ability: 'tenant'; readonly user: AuthenticatedUser }
  | { readonly ability: 'admin'; readonly admin: AuthenticatedAdmin };

/** Returns the user or the admin. */
export function personOf(subject: Subject): AuthenticatedUser | AuthenticatedAdmin {
  return subject.ability === 'tenant' ? subject.user : subject.admin;
}

/** Returns the key of the user or admin. */
export function nameOf(subject: Subject): SubjectName {
  return { ability: subject.ability, id: personOf(subject).id };
}

/** Returns the user or admin as the actor of a change. The id is null for an unauthenticated request. */
export function actorOf(
  { ability, id }: { readonly ability: Ability; readonly id: string | null },
  origin: { readonly requestId: string; readonly ip: string },
): Actor {
  return { type: subjectKinds[ability].auditType, id, ...origin };
}

/** Returns the columns of a user's or an admin's row that callers may see. */
export function toSubject(ability: Ability, row: object): Subject {
  return ability === 'tenant'
    ? { ability, user: toUser(row as AuthenticatedUser) }
    : { ability, admin: toAdmin(row as AuthenticatedAdmin) };
}

/** Returns the code of an audit record about a user's or an admin's account: `USER.LOGIN`, `ADMIN.LOGIN`. */
export function accountEvent(ability: Ability, verb: 'LOGIN' | 'LOGOUT' | 'LOGIN_FAILED' | 'LOCKED_OUT'): string {
  return `${subjectKinds[ability].auditType.toUpperCase()}.${verb}`;
}

/** Returns the columns of a user's row that callers may see. */
export function toUser(row: AuthenticatedUser): AuthenticatedUser {
  const { id, email, name, email_verified_at, created_at } = row;
  return { id, email, name, email_verified_at, created_at };
}

/** Returns the columns of an admin's row that callers may see. */
export function toAdmin(row: Pick<Admin, keyof AuthenticatedAdmin>): AuthenticatedAdmin {
  const { id, email, name, role, created_at } = row;
  return { id, email, name, role, created_at };
}
