import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

const exampleTest = {
  id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f714',
  name: 'Acme (test)',
  created_at: '2026-11-20T17:42:00.123456Z',
};

/** A test copy of a tenant. */
export const TestTenant = Type.Object(
  { id: Uuid, name: Type.String(), created_at: TimestampOut },
  {
    title: 'TestTenant',
    description: 'A test copy of a tenant: a tenant of its own, free, with small limits, and counted in no revenue.',
    examples: [exampleTest],
  },
);
export type TestTenant = Static<typeof TestTenant>;

export const TestTenantState = Type.Object(
  {
    live_tenant_id: Nullable(Uuid, { description: 'The tenant whose test copy this one is; null: a live tenant.' }),
    test_tenant: Nullable(TestTenant, { description: 'The test copy of a live tenant; null: it has none.' }),
  },
  {
    title: 'TestTenantState',
    description: 'Whether a tenant is a test copy, or has one.',
    examples: [{ live_tenant_id: null, test_tenant: exampleTest }],
  },
);
export type TestTenantState = Static<typeof TestTenantState>;

/** The body of a request that copies a policy to the live tenant: absent, or an object. */
export const CopyToLive = strictObject(
  {
    replace: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether a policy there with the same product and code gets these terms.',
      }),
    ),
  },
  { title: 'CopyToLive', description: 'How a policy is copied to the live tenant.', examples: [{ replace: true }] },
);
export type CopyToLive = Static<typeof CopyToLive>;

export const CopiedPolicy = Type.Object(
  {
    tenant_id: Uuid,
    product_id: Uuid,
    policy_id: Uuid,
    created: Type.Boolean({ description: 'False if a policy of the live tenant was changed.' }),
  },
  {
    title: 'CopiedPolicy',
    description: 'A policy of a live tenant that was copied from its test tenant.',
    examples: [
      {
        tenant_id: '019a9b1b-3d00-7b5c-8e6f-1a2b3c4d5e6f',
        product_id: '019a9b1c-5a00-7c3e-8f21-4b6d9e0a1c2d',
        policy_id: '019a9b1c-6b40-7d11-a2c4-0e9f3b7d5a18',
        created: true,
      },
    ],
  },
);
export type CopiedPolicy = Static<typeof CopiedPolicy>;
