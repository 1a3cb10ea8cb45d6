import { Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../../api/query-client.ts';
import { createPolicy, type Policy, policyQuery, productChoicesQuery } from '../../api/tenant-catalog.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { FileText, Package } from '../../icons/icons.gen.ts';
import { SurfaceLink, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { PolicyForm } from './PolicyForm.tsx';
import { newPolicySearch } from './search.ts';
import { policyTemplates } from './templates.ts';
import { emptyPolicy, type PolicyValues, valuesOf } from './values.ts';

/** Creates a policy, from a usual licensing model or from nothing. */
export default function NewPolicyScreen() {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const [search, change] = useFilters(newPolicySearch);
  const { data: products } = useQuery(productChoicesQuery(surface));
  const template = policyTemplates.find(({ id }) => id === search.template);
  const { from } = search;
  const { data: original } = useQuery({ ...policyQuery(surface, from ?? ''), enabled: from !== undefined });
  if (!allows(surface, 'policies', 'create')) return <NotAllowed />;
  const isReady = from === undefined || original !== undefined;
  return (
    <Page title="New policy" parent={{ label: 'Policies', to: '/policies' }}>
      {(products === undefined || !isReady) && <Skeleton h={320} />}
      {products?.length === 0 && (
        <EmptyState
          icon={Package}
          title="Create product first"
          description="A policy belongs to a product, which is the application that you license."
          action={
            <SurfaceLink to="/products" search={{ panel: 'new' }}>
              Create product
            </SurfaceLink>
          }
        />
      )}
      {products !== undefined && products.length > 0 && isReady && (
        <PolicyForm
          isNew
          initialValues={
            original === undefined
              ? initialValues(
                  search.product_id ?? (products.length === 1 ? products[0]?.id : undefined) ?? '',
                  template,
                )
              : duplicateOf(original)
          }
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

/** The values of a policy under another name, which the code follows. */
function duplicateOf(policy: Policy): PolicyValues {
  return { ...valuesOf(policy), name: `${policy.name} (copy)`.slice(0, 100), code: `${policy.code.slice(0, 59)}-copy` };
}

function NotAllowed() {
  return (
    <Page title="New policy" parent={{ label: 'Policies', to: '/policies' }}>
      <EmptyState
        icon={FileText}
        title="You cannot create policies"
        description="Ask an owner of this tenant to make you an admin."
      />
    </Page>
  );
}
