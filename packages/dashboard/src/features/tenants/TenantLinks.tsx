import { Anchor, Group } from '@mantine/core';
import type { Tenant } from '../../api/tenants.ts';
import { Section } from '../../components/Section.tsx';
import { PathLink } from '../../shell/PathLink.tsx';

interface Target {
  readonly label: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, unknown>>;
}

function platformTargets({ id }: Tenant): readonly Target[] {
  return [
    { label: 'Changes by admins', to: '/admin/audit', search: { resource_id: id } },
    { label: 'Subscriptions', to: '/admin/subscriptions', search: { tenant_id: id } },
    { label: 'Invoices', to: '/admin/invoices', search: { tenant_id: id } },
    { label: 'Rate limit', to: `/admin/rate-limits/${id}` },
    { label: 'Failed jobs', to: '/admin/jobs', search: { tenant_id: id } },
  ];
}

function ownTargets({ id, status }: Tenant): readonly Target[] {
  if (status !== 'active') return [];
  const screens = [
    ['Licenses', 'licenses'],
    ['Activations', 'activations'],
    ['API keys', 'api-keys'],
    ['Webhooks', 'webhook-endpoints'],
    ['Audit log', 'audit-logs'],
    ['Settings', 'settings'],
  ] as const;
  return screens.map(([label, path]) => ({ label, to: `/admin/tenants/${id}/${path}` }));
}

/** The ways from a tenant to what belongs to it. */
export function TenantLinks({ tenant }: { readonly tenant: Tenant }) {
  return (
    <Section title="More about this tenant">
      <Group component="ul" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
        {[...ownTargets(tenant), ...platformTargets(tenant)].map(({ label, to, search }) => (
          <li key={to + label}>
            <Anchor component={PathLink} to={to} {...(search && { search })}>
              {label}
            </Anchor>
          </li>
        ))}
      </Group>
    </Section>
  );
}
