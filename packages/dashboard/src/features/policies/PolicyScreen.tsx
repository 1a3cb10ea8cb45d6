import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../../api/query-client.ts';
import {
  type Policy,
  type PolicyEntitlement,
  policyQuery,
  productQuery,
  updatePolicy,
} from '../../api/tenant-catalog.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { LicensesOf } from '../../components/LicensesOf.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { formatNumber, words } from '../../lib/text.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { allows } from '../../surfaces.ts';
import { PolicyActions } from './PolicyActions.tsx';
import { PolicyForm } from './PolicyForm.tsx';
import { PolicySummary } from './PolicySummary.tsx';
import { daysText, monthsText, secondsText } from './summary.ts';
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
  const number = (value: number | null, none: string) => (value === null ? none : value.toLocaleString());
  return (
    <Section title="Terms">
      <Facts
        items={[
          { label: 'Code', value: <CopyableText value={policy.code} label="code" /> },
          { label: 'Valid for', value: termText(policy) },
          { label: 'The term starts', value: `At ${words(policy.expiry_basis).toLowerCase()}` },
          { label: 'Grace period', value: policy.grace_days === 0 ? 'None' : daysText(policy.grace_days) },
          {
            label: 'After the grace period',
            value:
              policy.expiry_strategy === 'deny' ? 'The license stops working' : 'The license works, marked as expired',
          },
          { label: 'Devices', value: number(policy.max_activations, 'Any number') },
          { label: 'Devices above the limit', value: percent(policy.activation_overage_percent) },
          { label: 'Only on activated devices', value: policy.require_activation ? 'Yes' : 'No' },
          {
            label: 'Free a seat after',
            value: policy.lease_seconds === null ? 'Never' : secondsText(policy.lease_seconds),
          },
          { label: 'Moves to another device', value: number(policy.max_deactivations, 'Any number') },
          {
            label: 'Updates for',
            value: policy.maintenance_days === null ? 'All releases' : daysText(policy.maintenance_days),
          },
          { label: 'Works offline for', value: secondsText(policy.offline_ttl_seconds_max) },
          {
            label: 'A renewal counts from',
            value: policy.renewal_basis === 'from_expiry' ? 'The end of the term' : 'The day of the renewal',
          },
          { label: 'Key prefix', value: policy.key_prefix ?? '—' },
          { label: 'Entitlements', value: policy.entitlements.map(grantText).join(', ') || '—' },
          { label: 'Updated at', value: <TimeText value={policy.updated_at} /> },
        ]}
      />
    </Section>
  );
}

const percent = (value: number | null) => (value === null ? 'Any number' : `${value} %`);

function termText({ duration_days, duration_months }: Policy): string {
  if (duration_months !== null) return monthsText(duration_months);
  return duration_days === null ? 'Forever' : daysText(duration_days);
}

/** Returns what a policy grants in a few words: `renders: 1,000 per month`. */
function grantText({ code, value, limit, reset }: PolicyEntitlement): string {
  if (limit !== undefined && limit !== null) {
    return `${code}: ${formatNumber(limit)}${reset === undefined || reset === 'none' ? '' : ` per ${reset}`}`;
  }
  return value === undefined || value === null ? code : `${code}: ${String(value)}`;
}
