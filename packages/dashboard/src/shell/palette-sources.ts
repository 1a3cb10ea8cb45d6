import { onSurface } from '../api/endpoints.ts';
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

type Find = PaletteSource['find'];

/** Finds what the service finds in a list. */
function asked<Row>(
  read: (surface: Surface, query: { readonly q: string; readonly limit: number }) => Promise<readonly Row[]>,
  hitOf: (row: Row) => Hit,
): Find {
  return async (surface, q) => (await read(surface, { q, limit: hitsMax })).map(hitOf);
}

/** Finds the hits of a short list whose label or description contains the query. */
function matching<Row>(
  read: (surface: Surface, query: { readonly limit: number }) => Promise<readonly Row[]>,
  hitOf: (row: Row) => Hit | Promise<Hit>,
): Find {
  return async (surface, q) => {
    const wanted = q.toLowerCase();
    const hits = await Promise.all((await read(surface, { limit: shortListMax })).map(hitOf));
    const found = hits.filter(({ label, description }) =>
      `${label} ${description ?? ''}`.toLowerCase().includes(wanted),
    );
    return found.slice(0, hitsMax);
  };
}

const joined = (...texts: readonly (string | null | undefined)[]) => texts.filter(Boolean).join(' · ');

const devices = onSurface.GET('/api/v1/tenant/activations');

const tenantSources: readonly PaletteSource[] = [
  {
    heading: 'Licenses',
    icon: KeyRound,
    find: asked(onSurface.GET('/api/v1/tenant/licenses'), ({ id, key, holder: { name, email, reference } }) => {
      const label = name ?? email ?? key;
      const description = joined(...[key, email, reference].filter((text) => text !== label));
      return { id, label, description, path: `/licenses/${id}` };
    }),
  },
  {
    heading: 'Customers',
    icon: ContactRound,
    find: asked(onSurface.GET('/api/v1/tenant/customers'), ({ email, name }) => ({
      id: email,
      label: name ?? email,
      description: name === null ? null : email,
      path: `/customers/${encodeURIComponent(email)}`,
    })),
  },
  {
    heading: 'Devices',
    icon: MonitorSmartphone,
    find: asked(
      (surface, query) => devices(surface, { ...query, include: 'details' }),
      ({ id, name, fingerprint, license_id }) => ({
        id,
        label: name ?? fingerprint,
        description: name === null ? null : fingerprint,
        path: `/licenses/${license_id}`,
      }),
    ),
  },
  {
    heading: 'Batches',
    icon: Layers,
    find: matching(onSurface.GET('/api/v1/tenant/license-batches'), ({ id, name, note }) => {
      return { id, label: name, description: note, path: `/batches/${id}` };
    }),
  },
  {
    heading: 'Bulk operations',
    icon: ListChecks,
    find: matching(onSurface.GET('/api/v1/tenant/bulk-operations'), async (operation) => {
      const { actionText, resultText } = await import('../features/bulk-operations/words.tsx');
      return {
        id: operation.id,
        label: actionText(operation),
        description: joined(operation.reason, resultText(operation)),
        path: `/bulk-operations/${operation.id}`,
      };
    }),
  },
  {
    heading: 'Products',
    icon: Package,
    find: asked(onSurface.GET('/api/v1/tenant/products'), ({ id, name, code }) => {
      return { id, label: name, description: code, path: `/products/${id}` };
    }),
  },
  {
    heading: 'Policies',
    icon: ScrollText,
    find: asked(onSurface.GET('/api/v1/tenant/policies'), ({ id, name, code }) => {
      return { id, label: name, description: code, path: `/policies/${id}` };
    }),
  },
  {
    heading: 'Entitlements',
    icon: Tag,
    find: matching(onSurface.GET('/api/v1/tenant/entitlements'), ({ id, name, code }) => {
      return { id, label: name, description: code, path: '/entitlements' };
    }),
  },
  {
    heading: 'Webhook endpoints',
    icon: Webhook,
    resource: 'webhooks',
    find: matching(onSurface.GET('/api/v1/tenant/webhooks'), ({ id, url, description }) => {
      return { id, label: url.replace(/^https:\/\//, ''), description, path: `/webhook-endpoints/${id}` };
    }),
  },
  {
    heading: 'Shop connections',
    icon: ShoppingCart,
    resource: 'connections',
    find: matching(onSurface.GET('/api/v1/tenant/connections'), ({ id, name, provider }) => {
      return { id, label: name, description: provider, path: `/connections/${id}` };
    }),
  },
  {
    heading: 'API keys',
    icon: Ticket,
    resource: 'api-keys',
    find: matching(onSurface.GET('/api/v1/tenant/api-keys'), ({ id, name, hint }) => {
      return { id, label: name, description: hint, path: '/api-keys' };
    }),
  },
  {
    heading: 'Members',
    icon: Users,
    resource: 'members',
    find: matching(onSurface.GET('/api/v1/tenant/members'), ({ id, name, email }) => {
      return { id, label: name ?? email, description: email, path: '/members' };
    }),
  },
];

const platformSources: readonly PaletteSource[] = [
  {
    heading: 'Tenants',
    icon: Building2,
    find: asked(onSurface.GET('/api/v1/admin/tenants'), ({ id, name, status }) => {
      return { id, label: name, description: status, path: `/tenants/${id}` };
    }),
  },
  {
    heading: 'Users',
    icon: UserRound,
    find: asked(onSurface.GET('/api/v1/admin/users'), ({ id, name, email }) => {
      return { id, label: name, description: email, path: `/users/${id}` };
    }),
  },
];

/** Returns what the palette searches on a surface: a tenant's objects, or the platform's. */
export function sourcesOf(surface: Surface | null): readonly PaletteSource[] {
  if (surface === null) return [];
  if (surface.tenantId !== null)
    return tenantSources.filter(({ resource }) => resource === undefined || allowsReading(surface, resource));
  return surface.area === 'admin' ? platformSources : [];
}
