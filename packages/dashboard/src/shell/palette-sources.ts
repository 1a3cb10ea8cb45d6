import { bodyOf } from '../api/body.ts';
import { apiOf } from '../api/client.ts';
import type { IconComponent } from '../icons/icon.ts';
import {
  Building2,
  ContactRound,
  KeyRound,
  Layers,
  ListChecks,
  MonitorSmartphone,
  Package,
  ScrollText,
  ShoppingCart,
  Tag,
  Ticket,
  UserRound,
  Users,
  Webhook,
} from '../icons/icons.gen.ts';
import { allowsReading, type Resource, type Surface } from '../surfaces.ts';

/** An object that the palette found. */
export interface Hit {
  readonly id: string;
  readonly label: string;
  readonly description?: string | null;
  /** The path of its page on the surface, without the prefix. */
  readonly path: string;
}

/** Objects of one kind that the command palette finds. */
export interface PaletteSource {
  readonly heading: string;
  readonly icon: IconComponent;
  /** The resource that the person must be able to read. */
  readonly resource?: Resource;
  readonly find: (surface: Surface, query: string) => Promise<readonly Hit[]>;
}

const hitsMax = 5;
/** These lists are short and have no search of their own: the palette reads one page and searches it. */
const shortListMax = 100;

/** Returns the hits whose label or description contains the query. */
function matching(hits: readonly Hit[], query: string): readonly Hit[] {
  const wanted = query.toLowerCase();
  const found = hits.filter(({ label, description }) => `${label} ${description ?? ''}`.toLowerCase().includes(wanted));
  return found.slice(0, hitsMax);
}

const joined = (...texts: readonly (string | null | undefined)[]) => texts.filter(Boolean).join(' · ');

const tenantSources: readonly PaletteSource[] = [
  {
    heading: 'Licenses',
    icon: KeyRound,
    find: async (surface, q) => {
      const query = { q, limit: hitsMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/licenses', { params: { query } }));
      return data.map(({ id, key, holder: { name, email, reference } }) => {
        const label = name ?? email ?? key;
        const description = joined(...[key, email, reference].filter((text) => text !== label));
        return { id, label, description, path: `/licenses/${id}` };
      });
    },
  },
  {
    heading: 'Customers',
    icon: ContactRound,
    find: async (surface, q) => {
      const query = { q, limit: hitsMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/customers', { params: { query } }));
      return data.map(({ email, name }) => ({
        id: email,
        label: name ?? email,
        description: name === null ? null : email,
        path: `/customers/${encodeURIComponent(email)}`,
      }));
    },
  },
  {
    heading: 'Devices',
    icon: MonitorSmartphone,
    find: async (surface, q) => {
      const query = { q, limit: hitsMax, include: 'details' } as const;
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/activations', { params: { query } }));
      return data.map(({ id, name, fingerprint, license_id }) => ({
        id,
        label: name ?? fingerprint,
        description: name === null ? null : fingerprint,
        path: `/licenses/${license_id}`,
      }));
    },
  },
  {
    heading: 'Batches',
    icon: Layers,
    find: async (surface, q) => {
      const query = { limit: shortListMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/license-batches', { params: { query } }));
      const hits = data.map(({ id, name, note }) => ({ id, label: name, description: note, path: `/batches/${id}` }));
      return matching(hits, q);
    },
  },
  {
    heading: 'Bulk operations',
    icon: ListChecks,
    find: async (surface, q) => {
      const query = { limit: shortListMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/bulk-operations', { params: { query } }));
      const { actionText, resultText } = await import('../features/bulk-operations/words.tsx');
      const hits = data.map((operation) => ({
        id: operation.id,
        label: actionText(operation),
        description: joined(operation.reason, resultText(operation)),
        path: `/bulk-operations/${operation.id}`,
      }));
      return matching(hits, q);
    },
  },
  {
    heading: 'Products',
    icon: Package,
    find: async (surface, q) => {
      const query = { q, limit: hitsMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/products', { params: { query } }));
      return data.map(({ id, name, code }) => ({ id, label: name, description: code, path: `/products/${id}` }));
    },
  },
  {
    heading: 'Policies',
    icon: ScrollText,
    find: async (surface, q) => {
      const query = { q, limit: hitsMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/policies', { params: { query } }));
      return data.map(({ id, name, code }) => ({ id, label: name, description: code, path: `/policies/${id}` }));
    },
  },
  {
    heading: 'Entitlements',
    icon: Tag,
    find: async (surface, q) => {
      const query = { limit: shortListMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/entitlements', { params: { query } }));
      const hits = data.map(({ id, name, code }) => ({ id, label: name, description: code, path: '/entitlements' }));
      return matching(hits, q);
    },
  },
  {
    heading: 'Webhook endpoints',
    icon: Webhook,
    resource: 'webhooks',
    find: async (surface, q) => {
      const query = { limit: shortListMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/webhooks', { params: { query } }));
      const hits = data.map(({ id, url, description }) => {
        return { id, label: url.replace(/^https:\/\//, ''), description, path: `/webhook-endpoints/${id}` };
      });
      return matching(hits, q);
    },
  },
  {
    heading: 'Shop connections',
    icon: ShoppingCart,
    resource: 'connections',
    find: async (surface, q) => {
      const query = { limit: shortListMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/connections', { params: { query } }));
      return matching(
        data.map(({ id, name, provider }) => ({ id, label: name, description: provider, path: `/connections/${id}` })),
        q,
      );
    },
  },
  {
    heading: 'API keys',
    icon: Ticket,
    resource: 'api-keys',
    find: async (surface, q) => {
      const query = { limit: shortListMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/api-keys', { params: { query } }));
      const hits = data.map(({ id, name, hint }) => ({ id, label: name, description: hint, path: '/api-keys' }));
      return matching(hits, q);
    },
  },
  {
    heading: 'Members',
    icon: Users,
    resource: 'members',
    find: async (surface, q) => {
      const query = { limit: shortListMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/tenant/members', { params: { query } }));
      return matching(
        data.map(({ id, name, email }) => ({ id, label: name ?? email, description: email, path: '/members' })),
        q,
      );
    },
  },
];

const platformSources: readonly PaletteSource[] = [
  {
    heading: 'Tenants',
    icon: Building2,
    find: async (surface, q) => {
      const query = { q, limit: hitsMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/admin/tenants', { params: { query } }));
      return data.map(({ id, name, status }) => ({ id, label: name, description: status, path: `/tenants/${id}` }));
    },
  },
  {
    heading: 'Users',
    icon: UserRound,
    find: async (surface, q) => {
      const query = { q, limit: hitsMax };
      const { data } = await bodyOf(apiOf(surface).GET('/api/v1/admin/users', { params: { query } }));
      return data.map(({ id, name, email }) => ({ id, label: name, description: email, path: `/users/${id}` }));
    },
  },
];

/** Returns what the palette searches on a surface: a tenant's objects, or the platform's. */
export function sourcesOf(surface: Surface | null): readonly PaletteSource[] {
  if (surface === null) return [];
  if (surface.tenantId !== null)
    return tenantSources.filter(({ resource }) => resource === undefined || allowsReading(surface, resource));
  return surface.area === 'admin' ? platformSources : [];
}
