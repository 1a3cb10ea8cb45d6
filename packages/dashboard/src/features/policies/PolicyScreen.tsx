import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keyOf } from '../../api/query-client.ts';
import {
  deletePolicy,
  type Policy,
  type PolicyEntitlement,
  policyQuery,
  productQuery,
  updatePolicy,
} from '../../api/tenant-catalog.ts';
import { DeleteButton } from '../../components/ConfirmDialog.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { LicensesOf } from '../../components/LicensesOf.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { formatNumber, words } from '../../lib/text.ts';
import { SurfaceLink, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { PolicyForm } from './PolicyForm.tsx';
import { PolicySummary } from './PolicySummary.tsx';
import { valuesOf } from './values.ts';

const parent = { label: 'Policies', to: '/policies' };

/** A policy: its form, or its terms without the permission to change it, and its licenses. */
export function PolicyScreen({ policyId }: { readonly policyId: string }) {
  const surface = useSurface();
  const query = useQuery(policyQuery(surface, policyId));
  if (query.data !== undefined) return <PolicyPage policy={query.data} />;
  return <UnloadedPage title="Policy" parent={parent} error={query.error} refetch={query.refetch} skeleton={320} />;
}

function PolicyPage({ policy }: { readonly policy: Policy }) {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const { data: product } = useQuery(productQuery(surface, policy.product_id));
  const [savedAt, setSavedAt] = useState<string | null>(null);
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
      actions={
        allows(surface, 'policies', 'delete') && (
          <DeleteButton
            title="Delete policy"
            name={policy.name}
            onDelete={async () => {
              await deletePolicy(surface, policy.id);
              await navigate('/policies');
              void refresh();
            }}
          >
            No further license can be issued from it. A policy that a license has ever used cannot be deleted.
          </DeleteButton>
        )
      }
    >
      {isEditable ? (
        <Stack gap={4}>
          <PolicyForm
            key={policy.updated_at}
            isNew={false}
            initialValues={valuesOf(policy)}
            submitLabel="Save changes"
            submit={({ product_id: _product, ...input }) => updatePolicy(surface, policy.id, input)}
            onSaved={async ({ updated_at }) => {
              await refresh();
              setSavedAt(updated_at);
            }}
          />
          <Text role="status" size="sm" c="dimmed" ta="right">
            {savedAt === policy.updated_at && 'Saved.'}
          </Text>
        </Stack>
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
  const number = (value: number | null, none: string) => (value === null ? none : value.toLocaleString());
  return (
    <Section title="Terms">
      <Facts
        items={[
          { label: 'Code', value: <CopyableText value={policy.code} label="code" /> },
          { label: 'Duration days', value: number(policy.duration_days, 'Forever') },
          { label: 'Expiry basis', value: words(policy.expiry_basis) },
          { label: 'Grace days', value: number(policy.grace_days, '0') },
          { label: 'Expiry strategy', value: words(policy.expiry_strategy) },
          { label: 'Renewal basis', value: words(policy.renewal_basis) },
          { label: 'Max activations', value: number(policy.max_activations, 'Any number') },
          { label: 'Activation overage percent', value: number(policy.activation_overage_percent, 'Any number') },
          { label: 'Require activation', value: policy.require_activation ? 'Yes' : 'No' },
          { label: 'Lease seconds', value: number(policy.lease_seconds, 'Not floating') },
          { label: 'Max deactivations', value: number(policy.max_deactivations, 'Any number') },
          { label: 'Maintenance days', value: number(policy.maintenance_days, 'All releases') },
          { label: 'Offline ttl seconds max', value: number(policy.offline_ttl_seconds_max, '—') },
          { label: 'Key prefix', value: policy.key_prefix ?? '—' },
          { label: 'Entitlements', value: policy.entitlements.map(grantText).join(', ') || '—' },
          { label: 'Updated at', value: <TimeText value={policy.updated_at} /> },
        ]}
      />
    </Section>
  );
}

/** Returns what a policy grants in a few words: `renders: 1,000 per month`. */
function grantText({ code, value, limit, reset }: PolicyEntitlement): string {
  if (limit !== undefined && limit !== null) {
    return `${code}: ${formatNumber(limit)}${reset === undefined || reset === 'none' ? '' : ` per ${reset}`}`;
  }
  return value === undefined || value === null ? code : `${code}: ${String(value)}`;
}
