import type { components } from './api/schema.gen.ts';
import type { Area } from './api/session.ts';

/**
 * The surface that a screen works on. The screens of a tenant's resources are written once; the surface decides which
 * paths they call, how their links begin and which actions they offer.
 */
export interface Surface {
  readonly area: Area;
  /** The tenant whose data the screens show; null outside a tenant. */
  readonly tenantId: string | null;
  /** URL prefix of the screens; empty for a tenant user. */
  readonly prefix: string;
  readonly role: TenantRole | AdminRole;
  /** What the admin's role may do, as the service says; null for a tenant user. */
  readonly rights: AdminRights | null;
}

/** What decides whose data a request reads. */
export type SurfaceId = Pick<Surface, 'area' | 'tenantId'>;

export type TenantRole = 'owner' | 'admin' | 'viewer';
export type AdminRole = components['schemas']['AdminRole'];
export type AdminRights = components['schemas']['AdminRights'];

/** The resources that the dashboard offers actions on, named as in the server's features. */
export type Resource =
  | 'products'
  | 'policies'
  | 'licenses'
  | 'customers'
  | 'activations'
  | 'entitlements'
  | 'usage'
  | 'api-keys'
  | 'access-tokens'
  | 'settings'
  | 'portal'
  | 'mails'
  | 'mail-settings'
  | 'mail-templates'
  | 'webhooks'
  | 'webhook-deliveries'
  | 'connections'
  | 'notifications'
  | 'members'
  | 'demo-data'
  | 'test-tenant'
  | 'billing';

/** A kind of write. `act` is an action on an existing object, such as suspending a license. */
export type Write = 'create' | 'update' | 'delete' | 'act';

/** The writes that the admin surface of a tenant has, for roles that write. It reads everything. */
const adminWrites: Readonly<Partial<Record<Resource, readonly Write[]>>> = {
  licenses: ['create', 'update', 'delete', 'act'],
  customers: ['update', 'delete'],
  'api-keys': ['create', 'update', 'delete'],
  'access-tokens': ['delete'],
  settings: ['update'],
  portal: ['update'],
  mails: ['create', 'act'],
  'mail-settings': ['update'],
  webhooks: ['create', 'update', 'delete', 'act'],
  connections: ['create', 'update', 'delete', 'act'],
  notifications: ['create'],
  'demo-data': ['delete'],
  'test-tenant': ['create', 'delete'],
};

/** The resources that only owners write. */
const ownersOnly: readonly Resource[] = ['members', 'billing', 'demo-data', 'test-tenant'];

/** Returns whether the service would accept a write, so that screens do not offer one that it would refuse. */
export function allows(surface: Surface, resource: Resource, write: Write): boolean {
  if (surface.area === 'admin') {
    return surface.rights?.platform === 'write' && (adminWrites[resource]?.includes(write) ?? false);
  }
  if (surface.role === 'owner') return true;
  return surface.role === 'admin' && !ownersOnly.includes(resource);
}

/** Returns whether the service would let the person read a resource on this surface. */
export function allowsReading(surface: Surface, resource: Resource): boolean {
  if (resource !== 'billing') return true;
  return surface.area === 'tenant' && surface.role === 'owner';
}
