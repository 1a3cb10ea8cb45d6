import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Package } from 'lucide-react';
import { keyOf } from '../../api/query-client.ts';
import { createPolicy, productOptionsQuery } from '../../api/tenant-catalog.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { SurfaceLink, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { PolicyForm } from './PolicyForm.tsx';
import { newPolicySearch } from './search.ts';
import { policyTemplates } from './templates.ts';
import { emptyPolicy, type PolicyValues } from './values.ts';

/** Creates a policy, from a usual licensing model or from nothing. */
export function NewPolicyScreen() {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const [search, change] = useFilters(newPolicySearch);
  const { data: products } = useQuery(productOptionsQuery(surface));
  const template = policyTemplates.find(({ id }) => id === search.template);
  return (
    <Page title="New policy" parent={{ label: 'Policies', to: '/policies' }}>
      {products === undefined && <Skeleton h={320} />}
      {products?.length === 0 && (
        <EmptyState
          icon={Package}
          title="First a product"
          description="A policy belongs to a product: the application that its licenses are for."
          action={
            <SurfaceLink to="/products" search={{ panel: 'new' }}>
              Create a product
            </SurfaceLink>
          }
        />
      )}
      {products !== undefined && products.length > 0 && (
        <PolicyForm
          isNew
          initialValues={initialValues(search.product_id ?? products[0]?.id ?? '', template)}
          template={search.template}
          onTemplate={(id) => void change({ template: id }, { replace: true })}
          submitLabel="Create policy"
          submit={(input, key) => createPolicy(surface, input, key)}
          onSaved={async ({ id }) => {
            await client.invalidateQueries({ queryKey: keyOf(surface, 'policies') });
            await navigate(`/policies/${id}`);
          }}
          onCancel={() => void navigate('/policies')}
        />
      )}
    </Page>
  );
}

function initialValues(productId: string, template: (typeof policyTemplates)[number] | undefined): PolicyValues {
  const named = template && { name: template.name, code: template.id };
  return { ...emptyPolicy, ...template?.values, ...named, product_id: productId };
}
