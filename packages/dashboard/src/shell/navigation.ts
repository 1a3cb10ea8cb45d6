import type { Area } from '../api/session.ts';
import type { IconComponent } from '../icons/icon.ts';
import {
  Activity,
  Boxes,
  Building2,
  ChartNoAxesColumn,
  CircleGauge,
  Code,
  ContactRound,
  CreditCard,
  Flag,
  Gauge,
  House,
  KeyRound,
  Mail,
  MonitorSmartphone,
  Package,
  Receipt,
  Settings,
  ShieldUser,
  ShoppingCart,
  SlidersHorizontal,
  Store,
  UserRound,
  Users,
  Webhook,
} from '../icons/icons.gen.ts';
import { allowsReading, type Resource, type Surface } from '../surfaces.ts';

/** A screen that the navigation leads to. */
export interface NavigationScreen {
  /** The name of the screen, which is its heading too. */
  readonly label: string;
  readonly path: string;
  /** Words by which the command palette finds the screen besides its label. */
  readonly keywords?: string;
  /** Where pages of the screen are besides the paths below its own. */
  readonly pages?: string;
}

/** One entry of the menu. Its screens are tabs of each other; it opens the first. */
export interface NavigationEntry {
  readonly label: string;
  readonly icon: IconComponent;
  readonly screens: readonly [NavigationScreen, ...NavigationScreen[]];
}

/** A group of entries; the first has no heading. */
export interface NavigationGroup {
  readonly heading: string | null;
  readonly entries: readonly NavigationEntry[];
}

interface TableScreen extends NavigationScreen {
  /** The resource that the person must be able to read. */
  readonly resource?: Resource;
  /** The only area that has the screen. */
  readonly area?: Area;
}

interface TableEntry {
  /** The name of several screens together, unless it is that of the first. */
  readonly label?: string;
  readonly icon: IconComponent;
  readonly screens: readonly TableScreen[];
}

interface TableGroup {
  readonly heading: string | null;
  readonly entries: readonly TableEntry[];
}

/** THE table of a tenant's menu: at most twelve entries, so that all are in sight on a small laptop. */
const tenantGroups: readonly TableGroup[] = [
  {
    heading: null,
    entries: [
      {
        icon: CircleGauge,
        screens: [
          { label: 'Tenant', path: '', area: 'admin' },
          { label: 'Overview', path: '/overview', keywords: 'home dashboard checklist', resource: 'overview' },
          { label: 'Notifications', path: '/notifications', keywords: 'unread', resource: 'notifications' },
        ],
      },
      {
        icon: KeyRound,
        screens: [
          { label: 'Licenses', path: '/licenses', keywords: 'holders keys' },
          { label: 'Batches', path: '/batches', keywords: 'reseller keys many issue' },
          { label: 'Bulk operations', path: '/bulk-operations', keywords: 'many undo extend revoke' },
        ],
      },
      {
        icon: ContactRound,
        screens: [{ label: 'Customers', path: '/customers', keywords: 'holders people buyers personal data' }],
      },
      {
        icon: Package,
        screens: [
          { label: 'Products', path: '/products', keywords: 'applications' },
          { label: 'Policies', path: '/policies', keywords: 'templates license models terms' },
          { label: 'Entitlements', path: '/entitlements', keywords: 'features' },
        ],
      },
      {
        label: 'Devices and usage',
        icon: MonitorSmartphone,
        screens: [
          { label: 'Devices', path: '/activations', keywords: 'activations machines seats' },
          { label: 'Usage', path: '/usage', keywords: 'metered consumption' },
        ],
      },
    ],
  },
  {
    heading: 'For customers',
    entries: [
      {
        icon: ShoppingCart,
        screens: [
          {
            label: 'Shops',
            path: '/connections',
            resource: 'connections',
            keywords: 'shop connections sales stripe paddle lemon squeezy polar gumroad offers orders',
          },
        ],
      },
      {
        label: 'Emails',
        icon: Mail,
        screens: [
          { label: 'Sent emails', path: '/holder-mails', keywords: 'mails to customers refused holders' },
          {
            label: 'Email templates',
            path: '/settings/mails',
            resource: 'mail-settings',
            keywords: 'mail settings texts server smtp reminders',
          },
        ],
      },
      {
        icon: Store,
        screens: [
          {
            label: 'Portal',
            path: '/portal-settings',
            resource: 'portal',
            keywords: 'customers holders brand logo self-service',
          },
        ],
      },
    ],
  },
  {
    heading: 'Integration',
    entries: [
      {
        icon: Webhook,
        screens: [
          {
            label: 'Webhooks',
            path: '/webhook-endpoints',
            pages: '/webhook-deliveries',
            resource: 'webhooks',
            keywords: 'events deliveries endpoints',
          },
        ],
      },
      {
        label: 'Developers',
        icon: Code,
        screens: [
          { label: 'API keys', path: '/api-keys', keywords: 'credentials vx_', resource: 'api-keys' },
          {
            label: 'Access tokens',
            path: '/access-tokens',
            keywords: 'automation service_',
            resource: 'access-tokens',
          },
          {
            label: 'Developer tools',
            path: '/developers',
            keywords: 'developers sdk curl snippets docs',
            resource: 'dev-tools',
          },
        ],
      },
    ],
  },
  {
    heading: 'Account',
    entries: [
      {
        label: 'Members and billing',
        icon: Users,
        screens: [
          { label: 'Members', path: '/members', keywords: 'team people invitations roles', resource: 'members' },
          { label: 'Billing', path: '/billing', keywords: 'plan invoices', resource: 'billing' },
        ],
      },
      {
        icon: Settings,
        screens: [
          { label: 'Settings', path: '/settings', resource: 'settings' },
          { label: 'Audit log', path: '/audit-logs', keywords: 'history security', resource: 'audit-logs' },
        ],
      },
    ],
  },
];

/** THE table of the platform's menu. Only admins who can read billing see the screens of that resource. */
const platformGroups: readonly TableGroup[] = [
  {
    heading: null,
    entries: [
      { icon: House, screens: [{ label: 'Home', path: '/admin' }] },
      { icon: Building2, screens: [{ label: 'Tenants', path: '/admin/tenants', keywords: 'vendors customers' }] },
      { icon: UserRound, screens: [{ label: 'Users', path: '/admin/users', keywords: 'people' }] },
    ],
  },
  {
    heading: 'Commerce',
    entries: [
      { icon: Boxes, screens: [{ label: 'Catalog', path: '/admin/catalog', keywords: 'plans prices products' }] },
      {
        icon: CreditCard,
        screens: [
          { label: 'Subscriptions', path: '/admin/subscriptions' },
          { label: 'Dunning', path: '/admin/dunning', keywords: 'past due', resource: 'billing' },
        ],
      },
      { icon: Receipt, screens: [{ label: 'Invoices', path: '/admin/invoices' }] },
      {
        icon: ChartNoAxesColumn,
        screens: [
          {
            label: 'Billing',
            path: '/admin/billing',
            keywords: 'revenue mrr arr churn credits',
            resource: 'billing',
          },
        ],
      },
    ],
  },
  {
    heading: 'Operation',
    entries: [
      { icon: Flag, screens: [{ label: 'Feature flags', path: '/admin/feature-flags' }] },
      { icon: Gauge, screens: [{ label: 'Rate limits', path: '/admin/rate-limits' }] },
      {
        label: 'Jobs and mails',
        icon: SlidersHorizontal,
        screens: [
          { label: 'Jobs', path: '/admin/jobs', keywords: 'failed background' },
          { label: 'Mails', path: '/admin/mails', keywords: 'refused bounced' },
        ],
      },
      { icon: Activity, screens: [{ label: 'Audit log', path: '/admin/audit', keywords: 'history security' }] },
      { icon: ShieldUser, screens: [{ label: 'Admins', path: '/admin/admins', keywords: 'operators roles' }] },
    ],
  },
];

/** Returns the navigation of a tenant's screens on a surface, without the screens that the person cannot read. */
export function tenantNavigation(surface: Surface): readonly NavigationGroup[] {
  const { area, prefix } = surface;
  const isOffered = (screen: TableScreen) =>
    (screen.area ?? area) === area && (screen.resource === undefined || allowsReading(surface, screen.resource));
  return navigationOf(tenantGroups, isOffered, prefix);
}

/** Returns the navigation of the platform, with the billing administration for admins who can read it. */
export function platformNavigation(readsBilling: boolean): readonly NavigationGroup[] {
  return navigationOf(platformGroups, ({ resource }) => readsBilling || resource !== 'billing', '');
}

function navigationOf(
  groups: readonly TableGroup[],
  isOffered: (screen: TableScreen) => boolean,
  prefix: string,
): readonly NavigationGroup[] {
  const entryOf = ({ label, icon, screens }: TableEntry): readonly NavigationEntry[] => {
    const [first, ...others] = screens.filter(isOffered).map((screen) => ({
      ...screen,
      path: prefix + screen.path,
      ...(screen.pages && { pages: prefix + screen.pages }),
    }));
    if (first === undefined) return [];
    // An entry of which the person reads one screen has its name.
    return [{ label: (others.length > 0 && label) || first.label, icon, screens: [first, ...others] }];
  };
  return groups
    .map(({ heading, entries }) => ({ heading, entries: entries.flatMap(entryOf) }))
    .filter(({ entries }) => entries.length > 0);
}

/** Returns the screen to which the page at a path belongs, and its entry: of several, the one with the longest path. */
export function placeOf(groups: readonly NavigationGroup[], pathname: string) {
  return groups
    .flatMap(({ entries }) => entries.flatMap((entry) => entry.screens.map((screen) => ({ entry, screen }))))
    .filter(({ screen }) => isAt(screen, pathname))
    .toSorted((one, other) => other.screen.path.length - one.screen.path.length)[0];
}

function isAt({ path, pages }: NavigationScreen, pathname: string): boolean {
  // Every page of the platform is below its home.
  const isBelow = (parent: string) => parent !== '/admin' && pathname.startsWith(`${parent}/`);
  return pathname === path || isBelow(path) || (pages !== undefined && isBelow(pages));
}
