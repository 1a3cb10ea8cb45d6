import { Type } from 'typebox';
import type { TenantRole } from '../../db/tables/platform/identity.ts';
import type { AccessTokenRole } from '../../db/tables/platform/tenants.ts';
import { tenantRoleNames, tenantRoles } from './tenant-roles.ts';

/** The roles of the members of a tenant. */
export const TenantRoleName = Type.Unsafe<TenantRole>(
  Type.Enum([...tenantRoleNames], {
    title: 'TenantRole',
    description: tenantRoleNames.map((role) => `\`${role}\`: ${tenantRoles[role].description}`).join(' '),
  }),
);

/** The roles of access tokens: those of members, except that only a person can own a tenant. */
export const AccessTokenRoleName = Type.Unsafe<AccessTokenRole>(
  Type.Enum(['admin', 'support', 'viewer'], { description: 'The rights of the token.' }),
);
