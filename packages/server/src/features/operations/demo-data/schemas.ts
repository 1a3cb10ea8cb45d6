import { type Static, Type } from 'typebox';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const DemoData = Type.Object(
  {
    present: Type.Boolean({ description: 'Whether the tenant has demo data.' }),
    products: count('Products of the demo.'),
    policies: count('Policies of the demo.'),
    licenses: count('Licenses of the demo.'),
    webhooks: count('Webhook endpoints of the demo.'),
    members: count('Members of the demo.'),
  },
  {
    title: 'DemoData',
    description: 'The demo data of a tenant.',
    examples: [{ present: true, products: 2, policies: 5, licenses: 201, webhooks: 3, members: 3 }],
  },
);
export type DemoData = Static<typeof DemoData>;

export const PlatformDemoData = Type.Object(
  {
    present: Type.Boolean({ description: 'Whether the installation has demo data.' }),
    tenants: count('Tenants of the demo, which are removed completely.'),
    filled_tenants: count('Other tenants that have demo data.'),
  },
  {
    title: 'PlatformDemoData',
    description: 'The demo data of the installation.',
    examples: [{ present: true, tenants: 12, filled_tenants: 1 }],
  },
);
export type PlatformDemoData = Static<typeof PlatformDemoData>;
