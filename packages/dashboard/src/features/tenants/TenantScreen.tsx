import { Alert, Button, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { toProblem } from '../../api/problem.ts';
import { type TenantDetail, tenantQuery } from '../../api/tenants.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Facts } from '../../components/Facts.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { MoneyText } from '../../components/MoneyText.tsx';
import { Page } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { EditTenantForm } from './EditTenantForm.tsx';
import { LimitsForm } from './LimitsForm.tsx';
import { LimitsTable } from './LimitsTable.tsx';
import { tenantPageSearch } from './search.ts';
import { TenantActions } from './TenantActions.tsx';
import { TenantCost } from './TenantCost.tsx';
import { TenantLinks } from './TenantLinks.tsx';
import { TenantMembers } from './TenantMembers.tsx';

/** Everything about one tenant on one page. */
export function TenantScreen({ id }: { readonly id: string }): ReactNode {
  const { data: tenant, error, refetch } = useQuery(tenantQuery(id));
  if (tenant !== undefined) return <TenantPage tenant={tenant} />;
  return (
    <Page title="Tenant">
      {error === null ? (
        <Stack gap="lg">
          <Skeleton h={150} />
          <Skeleton h={320} />
        </Stack>
      ) : (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

const stateTexts = {
  suspended:
    'Applications, keys and members of this tenant are refused. Its screens open again when you reactivate it.',
  closed: 'This tenant is closed for good. Export its data with `licensing tenants export` before it is purged.',
};

function TenantPage({ tenant }: { readonly tenant: TenantDetail }) {
  const [{ panel, range = '30d' }, change] = useFilters(tenantPageSearch);
  const close = () => void change({ panel: undefined });
  const { status } = tenant;
  return (
    <Page
      title={tenant.name}
      heading={<DetailHeader name={tenant.name} badges={<StatusBadge status={status} />} />}
      actions={<TenantActions tenant={tenant} onEdit={() => void change({ panel: 'edit' })} />}
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
      <FormDrawer title="Edit tenant" isOpen={panel === 'edit'} onClose={close} size="md">
        {(onUnsaved) => <EditTenantForm tenant={tenant} onDone={close} onUnsaved={onUnsaved} />}
      </FormDrawer>
      <FormDrawer title="Change limits" isOpen={panel === 'limits'} onClose={close} size="md">
        {(onUnsaved) => <LimitsForm tenant={tenant} onDone={close} onUnsaved={onUnsaved} />}
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
          { label: 'Plan', value: tenant.plan_code },
          { label: 'Id', value: <CopyableText value={tenant.id} label="tenant id" maxLength={18} /> },
          { label: 'Placement', value: placement === 'embedded' ? 'Embedded (a file of its own)' : placement },
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
