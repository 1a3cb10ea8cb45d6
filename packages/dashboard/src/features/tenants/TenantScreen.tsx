import { Alert, Anchor, Button, Group, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.gen.ts';
import { type Tenant, type TenantDetail, tenantMembersQuery, tenantQuery } from '../../api/tenants.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { Facts } from '../../components/Facts.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section, TitledTable } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { TriangleAlert, Users } from '../../icons/icons.gen.ts';
import { words } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { PlanName } from '../plans/PlanName.tsx';
import { LimitsForm, LimitsTable } from './LimitsTable.tsx';
import { tenantPageSearch } from './search.ts';
import { TenantActions } from './TenantActions.tsx';
import { TenantCost } from './TenantCost.tsx';
import { EditTenantForm } from './TenantForms.tsx';

/** Everything about one tenant on one page. */
export default function TenantScreen({ tenantId: id }: { readonly tenantId: string }): ReactNode {
  const { data: tenant, error, refetch } = useQuery(tenantQuery(id));
  if (tenant !== undefined) return <TenantPage tenant={tenant} />;
  return <UnloadedPage title="Tenant" error={error} refetch={refetch} skeleton={[150, 320]} />;
}

const stateTexts = {
  suspended: 'The applications, keys and members of this tenant cannot use the service until you reactivate it.',
  closed: 'This tenant is permanently closed. Export its data with `licensing tenants export` before it is purged.',
};

function TenantPage({ tenant }: { readonly tenant: TenantDetail }) {
  const [{ panel, range = '30d' }, change] = useFilters(tenantPageSearch);
  const close = () => void change({ panel: undefined });
  const { status } = tenant;
  const mayWrite = useWritesPlatform();
  return (
    <Page
      title={tenant.name}
      badges={<StatusBadge status={status} />}
      actions={mayWrite && <TenantActions tenant={tenant} onEdit={() => void change({ panel: 'edit' })} />}
    >
      {status !== 'active' && (
        <Alert color={status === 'closed' ? 'gray' : 'red'} icon={<TriangleAlert size={18} aria-hidden="true" />}>
          <Text c="var(--mantine-color-text)">{stateTexts[status]}</Text>
        </Alert>
      )}
      {tenant.past_due !== null && <PastDue pastDue={tenant.past_due} />}
      <TenantFacts tenant={tenant} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <LimitsTable
          tenant={tenant}
          action={
            mayWrite &&
            status !== 'closed' && (
              <Button size="xs" variant="default" onClick={() => void change({ panel: 'limits' })}>
                Change limits
              </Button>
            )
          }
        />
        <TenantCost tenant={tenant} range={range} onRange={(next) => void change({ range: next })} />
      </SimpleGrid>
      {status === 'active' && <TenantMembers tenantId={tenant.id} />}
      <TenantLinks tenant={tenant} />
      <FormDrawer title="Edit tenant" isOpen={mayWrite && panel === 'edit'} onClose={close} size="md">
        <EditTenantForm tenant={tenant} />
      </FormDrawer>
      <FormDrawer title="Change limits" isOpen={mayWrite && panel === 'limits'} onClose={close} size="md">
        <LimitsForm tenant={tenant} />
      </FormDrawer>
    </Page>
  );
}

function TenantFacts({ tenant }: { readonly tenant: TenantDetail }) {
  const { placement } = tenant;
  return (
    <Section title="Tenant">
      <Facts
        cols={4}
        items={[
          { label: 'Plan', value: <PlanName code={tenant.plan_code} /> },
          { label: 'ID', value: <CopyableText value={tenant.id} label="tenant ID" maxLength={18} /> },
          { label: 'Placement', value: placement === 'embedded' ? 'Embedded (its own file)' : placement },
          { label: 'Created', value: <TimeText value={tenant.created_at} /> },
          ...(tenant.closed_at === null ? [] : [{ label: 'Closed', value: <TimeText value={tenant.closed_at} /> }]),
        ]}
      />
    </Section>
  );
}

function PastDue({ pastDue }: { readonly pastDue: NonNullable<TenantDetail['past_due']> }) {
  const { amount_due: amount, currency, since, grace_ends_at: graceEndsAt } = pastDue;
  return (
    <Alert color="yellow" title="A payment is overdue" icon={<TriangleAlert size={18} aria-hidden="true" />}>
      <Text c="var(--mantine-color-text)" component="div">
        {amount !== null && currency !== null && (
          <>
            <MoneyText amount={amount} currency={currency} /> are open.{' '}
          </>
        )}
        Overdue since <TimeText value={since} format="date" />.
        {graceEndsAt !== null && (
          <>
            {' '}
            Without a payment the tenant is suspended <TimeText value={graceEndsAt} format="relative" />.
          </>
        )}
      </Text>
    </Alert>
  );
}

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
    ['Devices', 'activations'],
    ['API keys', 'api-keys'],
    ['Webhooks', 'webhook-endpoints'],
    ['Audit log', 'audit-logs'],
    ['Settings', 'settings'],
  ] as const;
  return screens.map(([label, path]) => ({ label, to: `/admin/tenants/${id}/${path}` }));
}

/** The ways from a tenant to what belongs to it. */
function TenantLinks({ tenant }: { readonly tenant: Tenant }) {
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

type Member = components['schemas']['Member'];

const columns: readonly Column<Member>[] = [
  { header: 'Email', cell: ({ email }) => email },
  { header: 'Name', cell: ({ name }) => name ?? '—', isSecondary: true },
  { header: 'Role', cell: ({ role }) => words(role), width: 110 },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, isSecondary: true, width: 120 },
  timeColumn('Since', ({ created_at }) => created_at, {
    format: 'date',
    align: 'right',
    isSecondary: true,
    width: 130,
  }),
];

/** The people of a tenant. A row leads to the person's account, or to the tenant's members for an invitation. */
function TenantMembers({ tenantId }: { readonly tenantId: string }) {
  const query = useQuery(tenantMembersQuery(tenantId));
  return (
    <TitledTable title="Members">
      <DataTable
        caption="Members"
        columns={columns}
        query={query}
        rowPath={({ user_id: userId }) =>
          userId === null ? `/admin/tenants/${tenantId}/members` : `/admin/users/${userId}`
        }
        skeletonRows={2}
        empty={{
          icon: Users,
          title: 'No members',
          description: 'This tenant has no owner yet, so nobody can use it.',
        }}
      />
    </TitledTable>
  );
}
