import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../../api/query-client.ts';
import { type Policy, policyQuery, productQuery, updatePolicy } from '../../api/tenant-catalog.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { LicensesOf } from '../../components/LicensesOf.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { PolicyActions } from './PolicyActions.tsx';
import { PolicyForm } from './PolicyForm.tsx';
import { PolicySummary } from './PolicySummary.tsx';
import { termsOf } from './policy-terms.ts';
import { valuesOf } from './values.ts';

const parent = { label: 'Policies', to: '/policies' };

/** A policy: its form, or its terms without the permission to change it, and its licenses. */
export default function PolicyScreen({ policyId }: { readonly policyId: string }) {
  const surface = useSurface();
  const query = useQuery(policyQuery(surface, policyId));
  if (query.data !== undefined) return <PolicyPage policy={query.data} />;
  return <UnloadedPage title="Policy" parent={parent} error={query.error} refetch={query.refetch} skeleton={320} />;
}

function PolicyPage({ policy }: { readonly policy: Policy }) {
  const surface = useSurface();
  const client = useQueryClient();
  const { data: product } = useQuery(productQuery(surface, policy.product_id));
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(surface, 'policies') });
  const isEditable = allows(surface, 'policies', 'update');
  return (
    <Page
      title={policy.name}
      parent={parent}
      description={
        <>
          A policy of{' '}
          <SurfaceLink to={`/products/${policy.product_id}`} underline="always">
            {product?.name ?? 'its product'}
          </SurfaceLink>
          . Changes apply at once to what its licenses allow; their dates stay.
        </>
      }
      badges={policy.archived_at !== null && <StatusBadge status="archived" />}
      actions={<PolicyActions policy={policy} />}
    >
      {isEditable ? (
        <PolicyForm
          key={policy.updated_at}
          isNew={false}
          initialValues={valuesOf(policy)}
          submitLabel="Save changes"
          submit={({ product_id: _product, ...input }) => updatePolicy(surface, policy.id, input)}
          onSaved={refresh}
        />
      ) : (
        <Stack gap="lg">
          <PolicySummary values={valuesOf(policy)} />
          <PolicyFacts policy={policy} />
        </Stack>
      )}
      <LicensesOf filter={{ policy_id: policy.id }} owner="this policy" />
    </Page>
  );
}

function PolicyFacts({ policy }: { readonly policy: Policy }) {
  return (
    <Section title="Terms">
      <Facts
        items={[
          { label: 'Code', value: <CopyableText value={policy.code} label="code" /> },
          ...termsOf(policy),
          { label: 'Updated at', value: <TimeText value={policy.updated_at} /> },
        ]}
      />
    </Section>
  );
}
