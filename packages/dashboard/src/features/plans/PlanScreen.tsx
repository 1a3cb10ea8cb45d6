import { Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  adminPlanQuery,
  catalogProductsQuery,
  commerceKey,
  deletePlan,
  type Plan,
  updatePlan,
} from '../../api/commerce.ts';
import { ConfirmButton } from '../../components/ConfirmDialog.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { RunButton } from '../../components/RunButton.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useAction } from '../../components/use-action.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { PlanForm } from './PlanForm.tsx';

/** One plan of the catalog, to edit, archive and delete. */
export default function PlanScreen({ planId: id }: { readonly planId: string }): ReactNode {
  const { data: plan, error, refetch } = useQuery(adminPlanQuery(id));
  const products = useQuery(catalogProductsQuery({ limit: 100 }));
  const mayWrite = useWritesPlatform();
  const parent = { label: 'Catalog', to: '/catalog' };
  if (plan === undefined) {
    return <UnloadedPage title="Plan" parent={parent} error={error} refetch={refetch} skeleton={480} />;
  }
  const status = plan.archived ? <StatusBadge status="archived" /> : <StatusBadge status="active" label="Offered" />;
  return (
    <Page
      title={plan.name}
      badges={status}
      parent={parent}
      description={
        plan.code === 'free'
          ? 'Every tenant without a subscription has this plan. It is free and cannot be archived.'
          : 'New prices apply to new purchases. New limits apply immediately to every tenant on the plan.'
      }
      actions={mayWrite && plan.code !== 'free' && <PlanActions plan={plan} />}
    >
      <Paper p="lg" maw={760}>
        <PlanForm key={plan.updated_at} plan={plan} products={products.data?.data ?? []} />
      </Paper>
    </Page>
  );
}

function PlanActions({ plan }: { readonly plan: Plan }) {
  const navigate = useNavigate();
  const archive = useAction({
    run: () => updatePlan(plan.id, { archived: !plan.archived }),
    invalidates: [commerceKey],
  });
  return (
    <>
      <RunButton action={archive} variant="default">
        {plan.archived ? 'Offer again' : 'Archive plan'}
      </RunButton>
      <ConfirmButton
        button={{ variant: 'default', c: 'var(--mantine-color-error)' }}
        title="Delete plan"
        typedName={plan.code}
        onConfirm={async () => {
          await deletePlan(plan.id);
          await navigate({ to: '/admin/catalog' });
        }}
        invalidates={[commerceKey]}
      >
        {plan.name} is removed for good. This works only while no tenant has or has had it; archive the plan otherwise.
      </ConfirmButton>
    </>
  );
}
