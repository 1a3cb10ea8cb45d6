import type { IconComponent } from '../icons/icon.ts';
import {
  Activity,
  AppWindow,
  Bell,
  BookOpenText,
  Boxes,
  Building2,
  ChartNoAxesColumn,
  CircleGauge,
  ContactRound,
  CreditCard,
  FileText,
  Flag,
  Gauge,
  House,
  KeyRound,
  Layers,
  ListChecks,
  Mail,
  MonitorSmartphone,
  Package,
  Receipt,
  ScrollText,
  Settings,
  ShieldUser,
  ShoppingCart,
  SlidersHorizontal,
  Store,
  Tag,
  Ticket,
  TriangleAlert,
  UserRound,
  Users,
  Webhook,
} from '../icons/icons.gen.ts';
import { allowsReading, type Resource, type Surface } from '../surfaces.ts';

/** One entry of the navigation. */
export interface NavigationItem {
  readonly label: string;
  readonly path: string;
  readonly icon: IconComponent;
  /** Words by which the command palette finds the page besides its label. */
  readonly keywords?: string;
}

/** A group of entries; the first has no heading. */
export interface NavigationGroup {
  readonly heading: string | null;
  readonly items: readonly NavigationItem[];
}

interface TenantItem extends NavigationItem {
  /** The resource that the person must be able to read. */
  readonly resource?: Resource;
  readonly areas?: 'tenant' | 'admin';
}

const tenantGroups: readonly { readonly heading: string | null; readonly items: readonly TenantItem[] }[] = [
  {
    heading: null,
    items: [
      {
        label: 'Overview',
        path: '/overview',
        icon: CircleGauge,
        keywords: 'home dashboard checklist',
        resource: 'overview',
      },
      { label: 'Licenses', path: '/licenses', icon: KeyRound, keywords: 'holders keys' },
      { label: 'Batches', path: '/batches', icon: Layers, keywords: 'reseller keys many issue' },
      { label: 'Bulk operations', path: '/bulk-operations', icon: ListChecks, keywords: 'many undo extend revoke' },
      { label: 'Customers', path: '/customers', icon: ContactRound, keywords: 'holders people buyers personal data' },
      { label: 'Mails to customers', path: '/holder-mails', icon: Mail, keywords: 'email sent refused holders' },
      { label: 'Devices', path: '/activations', icon: MonitorSmartphone, keywords: 'activations machines seats' },
      { label: 'Usage', path: '/usage', icon: ChartNoAxesColumn, keywords: 'metered consumption' },
    ],
  },
  {
    heading: 'Catalog',
    items: [
      { label: 'Products', path: '/products', icon: Package, keywords: 'applications' },
      { label: 'Policies', path: '/policies', icon: FileText, keywords: 'templates license models terms' },
      { label: 'Entitlements', path: '/entitlements', icon: Tag, keywords: 'features' },
    ],
  },
  {
    heading: 'Integration',
    items: [
      { label: 'API keys', path: '/api-keys', icon: Ticket, keywords: 'credentials vx_', resource: 'api-keys' },
      {
        label: 'Access tokens',
        path: '/access-tokens',
        icon: AppWindow,
        keywords: 'automation service_',
        resource: 'access-tokens',
      },
      {
        label: 'Shop connections',
        path: '/connections',
        resource: 'connections',
        icon: ShoppingCart,
        keywords: 'sales stripe paddle lemon squeezy polar gumroad offers orders',
      },
      {
        label: 'Webhooks',
        path: '/webhook-endpoints',
        icon: Webhook,
        keywords: 'events deliveries endpoints',
        resource: 'webhooks',
      },
      {
        label: 'Developers',
        path: '/developers',
        icon: BookOpenText,
        keywords: 'sdk curl snippets docs',
        resource: 'dev-tools',
      },
    ],
  },
  {
    heading: 'Account',
    items: [
      {
        label: 'Members',
        path: '/members',
        icon: Users,
        keywords: 'team people invitations roles',
        resource: 'members',
      },
      { label: 'Notifications', path: '/notifications', icon: Bell, resource: 'notifications' },
      {
        label: 'Audit log',
        path: '/audit-logs',
        icon: ScrollText,
        keywords: 'history security',
        resource: 'audit-logs',
      },
      { label: 'Billing', path: '/billing', icon: CreditCard, keywords: 'plan invoices', resource: 'billing' },
      {
        label: 'Portal',
        path: '/portal-settings',
        icon: Store,
        keywords: 'customers holders brand logo self-service',
        resource: 'portal',
      },
      { label: 'Settings', path: '/settings', icon: Settings, resource: 'settings' },
    ],
  },
];

/** Returns the navigation of a tenant's screens on a surface, without the pages that the person cannot read. */
export function tenantNavigation(surface: Surface): readonly NavigationGroup[] {
  return tenantGroups
    .map(({ heading, items }) => ({
      heading,
      items: items
        .filter(({ resource }) => resource === undefined || allowsReading(surface, resource))
        .map((item) => ({ ...item, path: `${surface.prefix}${item.path}` })),
    }))
    .filter(({ items }) => items.length > 0);
}

/** Returns the navigation of the platform, with the billing administration for admins who can read it. */
export function platformNavigation(readsBilling: boolean): readonly NavigationGroup[] {
  const money: readonly NavigationItem[] = [
    { label: 'Catalog', path: '/admin/catalog', icon: Boxes, keywords: 'plans prices products' },
    { label: 'Subscriptions', path: '/admin/subscriptions', icon: CreditCard },
    { label: 'Invoices', path: '/admin/invoices', icon: Receipt },
  ];
  const gated: readonly NavigationItem[] = [
    { label: 'Billing', path: '/admin/billing', icon: ChartNoAxesColumn, keywords: 'revenue mrr arr churn credits' },
    { label: 'Dunning', path: '/admin/dunning', icon: TriangleAlert, keywords: 'past due' },
  ];
  return [
    {
      heading: null,
      items: [
        { label: 'Home', path: '/admin', icon: House },
        { label: 'Tenants', path: '/admin/tenants', icon: Building2, keywords: 'vendors customers' },
        { label: 'Users', path: '/admin/users', icon: UserRound, keywords: 'people' },
      ],
    },
    { heading: 'Commerce', items: readsBilling ? [...money, ...gated] : money },
    {
      heading: 'Operation',
      items: [
        { label: 'Feature flags', path: '/admin/feature-flags', icon: Flag },
        { label: 'Rate limits', path: '/admin/rate-limits', icon: Gauge },
        { label: 'Jobs', path: '/admin/jobs', icon: SlidersHorizontal, keywords: 'failed background' },
        { label: 'Mails', path: '/admin/mails', icon: Mail, keywords: 'refused bounced' },
        { label: 'Audit log', path: '/admin/audit', icon: Activity, keywords: 'history security' },
        { label: 'Admins', path: '/admin/admins', icon: ShieldUser, keywords: 'operators roles' },
      ],
    },
  ];
}
