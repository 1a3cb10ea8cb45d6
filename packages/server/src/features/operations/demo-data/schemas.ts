import { type Static, Type } from 'typebox';

export const DemoData = Type.Object(
  { present: Type.Boolean({ description: 'Whether the tenant is one of the demo.' }) },
  { title: 'DemoData', description: 'Whether a tenant has demo data.', examples: [{ present: true }] },
);
export type DemoData = Static<typeof DemoData>;

export const PlatformDemoData = Type.Object(
  {
    present: Type.Boolean({ description: 'Whether the installation has demo data.' }),
    tenants: Type.Integer({ minimum: 0, description: 'Number of tenants of the demo.' }),
  },
  {
    title: 'PlatformDemoData',
    description: 'The demo data of the installation.',
    examples: [{ present: true, tenants: 13 }],
  },
);
export type PlatformDemoData = Static<typeof PlatformDemoData>;
