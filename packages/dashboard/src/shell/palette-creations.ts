import type { IconComponent } from '../icons/icon.ts';
import {
  FileUp,
  KeyRound,
  Layers,
  Package,
  Plus,
  ScrollText,
  ShoppingCart,
  Tag,
  Ticket,
  UserPlus,
  Webhook,
} from '../icons/icons.gen.ts';
import { allows, type Resource, type Surface } from '../surfaces.ts';

/** An action that needs no open object: it leads to the form that does it. */
interface Creation {
  readonly label: string;
  readonly icon: IconComponent;
  readonly resource: Resource;
  readonly path: string;
  readonly opensPanel?: boolean;
}

const creations: readonly Creation[] = [
  { label: 'New license', icon: KeyRound, resource: 'licenses', path: '/licenses', opensPanel: true },
  { label: 'Import licenses', icon: FileUp, resource: 'licenses', path: '/licenses/import' },
  { label: 'New batch', icon: Layers, resource: 'licenses', path: '/batches', opensPanel: true },
  { label: 'New product', icon: Package, resource: 'products', path: '/products', opensPanel: true },
  { label: 'New policy', icon: ScrollText, resource: 'policies', path: '/policies/new' },
  { label: 'New entitlement', icon: Tag, resource: 'entitlements', path: '/entitlements', opensPanel: true },
  { label: 'New API key', icon: Ticket, resource: 'api-keys', path: '/api-keys', opensPanel: true },
  { label: 'New webhook endpoint', icon: Webhook, resource: 'webhooks', path: '/webhook-endpoints', opensPanel: true },
  { label: 'Connect a shop', icon: ShoppingCart, resource: 'connections', path: '/connections/new' },
  { label: 'Invite member', icon: UserPlus, resource: 'members', path: '/members', opensPanel: true },
  { label: 'New notification', icon: Plus, resource: 'notifications', path: '/notifications', opensPanel: true },
];

/** Returns the actions of a tenant's surface that the person may do, with the paths that open their forms. */
export function creationsOf(surface: Surface | null) {
  if (surface === null || surface.tenantId === null) return [];
  return creations
    .filter(({ resource }) => allows(surface, resource, 'create'))
    .map(({ label, icon, path, opensPanel = false }) => ({
      label,
      icon,
      path: `${surface.prefix}${path}`,
      search: opensPanel ? { panel: 'new' } : {},
    }));
}
