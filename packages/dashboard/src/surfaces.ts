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

export type TenantRole = components['schemas']['TenantRole'];
export type AdminRole = components['schemas']['AdminRole'];
export type AdminRights = components['schemas']['AdminRights'];

/** The resources that the dashboard shows or offers actions on, named as in the server's features. */
export type Resource =
  | 'overview'
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
  | 'dev-tools'
  | 'audit-logs'
  | 'exports'
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

type TenantArea = 'licensing' | 'catalog' | 'administration' | 'ownership' | 'billing';

/** The area of each resource, as in the server's `tenant-resources.ts`. `exports` are files with the data of many customers. */
export const tenantAreas: Readonly<Record<Resource, TenantArea>> = {
  overview: 'administration',
  products: 'catalog',
  policies: 'catalog',
  entitlements: 'catalog',
  licenses: 'licensing',
  customers: 'licensing',
  activations: 'licensing',
  usage: 'licensing',
  mails: 'licensing',
  'api-keys': 'administration',
  'access-tokens': 'administration',
  // Every role reads the settings, because each screen needs the time zone. Only these roles see their screen.
  settings: 'administration',
  portal: 'administration',
  'mail-settings': 'administration',
  'mail-templates': 'administration',
  webhooks: 'administration',
  'webhook-deliveries': 'administration',
  connections: 'administration',
  notifications: 'administration',
  'dev-tools': 'administration',
  'audit-logs': 'administration',
  exports: 'administration',
  members: 'ownership',
  'demo-data': 'ownership',
  'test-tenant': 'ownership',
  billing: 'billing',
};

/** What each role may do in an area, as in the server's `tenant-roles.ts`, which a test compares. */
export const tenantRights: Readonly<Record<TenantRole, Readonly<Record<TenantArea, 'none' | 'read' | 'write'>>>> = {
  viewer: { licensing: 'read', catalog: 'read', administration: 'read', ownership: 'read', billing: 'none' },
  support: { licensing: 'write', catalog: 'read', administration: 'none', ownership: 'none', billing: 'none' },
  admin: { licensing: 'write', catalog: 'write', administration: 'write', ownership: 'read', billing: 'none' },
  owner: { licensing: 'write', catalog: 'write', administration: 'write', ownership: 'write', billing: 'write' },
};

/** Returns whether the service would accept a write, so that screens do not offer one that it would refuse. */
export function allows(surface: Surface, resource: Resource, write: Write): boolean {
  if (surface.area === 'admin') {
    return surface.rights?.platform === 'write' && (adminWrites[resource]?.includes(write) ?? false);
  }
  return accessOf(surface, resource) === 'write';
}

/** Returns whether the service would let the person read a resource on this surface. */
export function allowsReading(surface: Surface, resource: Resource): boolean {
  return surface.area === 'admin' ? resource !== 'billing' : accessOf(surface, resource) !== 'none';
}

function accessOf({ role }: Surface, resource: Resource) {
  return tenantRights[role as TenantRole][tenantAreas[resource]];
}
