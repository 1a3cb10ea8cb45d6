import { Text } from '@mantine/core';
import type { License, Policy } from '../../api/licenses.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { count, formatNumber } from '../../lib/text.ts';
import { formatRelative } from '../../lib/time.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { seats } from './columns.tsx';
import { type LicenseField, licenseFieldList } from './fields.ts';

function or(text: string | null) {
  return (
    text ?? (
      <Text span inherit c="dimmed">
        —
      </Text>
    )
  );
}

function FieldValue({ kind, value }: Pick<LicenseField, 'kind'> & { readonly value: string | number | null }) {
  if (kind === 'date') return <TimeText value={value === null ? null : String(value)} fallback="Never" />;
  return or(value === null ? null : String(value));
}

/** The key, the holder and the terms of a license. */
export function LicenseFacts({ license }: { readonly license: License }) {
  const { holder, metadata } = license;
  const own = license.max_activations === null ? 'from the policy' : "the license's own limit";
  return (
    <Section title="Details">
      <Facts
        items={[
          { label: 'Key', value: <CopyableText value={license.key} label="license key" /> },
          {
            label: 'Product',
            value: <SurfaceLink to={`/products/${license.product_id}`}>{license.product_name}</SurfaceLink>,
          },
          {
            label: 'Policy',
            value: <SurfaceLink to={`/policies/${license.policy_id}`}>{license.policy_name}</SurfaceLink>,
          },
          { label: 'Holder', value: or(holder.name) },
          {
            label: 'Email',
            value:
              holder.email === null ? (
                or(null)
              ) : (
                <SurfaceLink to={`/customers/${encodeURIComponent(holder.email)}`}>{holder.email}</SurfaceLink>
              ),
          },
          { label: 'Reference', value: or(holder.reference) },
          { label: 'Starts', value: <TimeText value={license.starts_at} /> },
          ...licenseFieldList.flatMap(([name, { fact, kind }]) =>
            fact === undefined ? [] : [{ label: fact, value: <FieldValue kind={kind} value={license[name]} /> }],
          ),
          {
            label: 'Activations',
            value: (
              <span className="tabular">
                {seats(license)}{' '}
                <Text span size="sm" c="dimmed">
                  ({own})
                </Text>
              </span>
            ),
          },
          { label: 'Self-service deactivations', value: formatNumber(license.deactivations_count) },
          {
            label: 'Last validated',
            value: <TimeText value={license.last_validated_at} format="relative" fallback="Never" />,
          },
          { label: 'License id', value: <CopyableText value={license.id} label="license id" maxLength={19} /> },
          { label: 'Created', value: <TimeText value={license.created_at} /> },
          { label: 'Changed', value: <TimeText value={license.updated_at} format="relative" /> },
        ]}
      />
      {Object.keys(metadata).length > 0 && <CodeBlock code={JSON.stringify(metadata, null, 2)} label="metadata" />}
    </Section>
  );
}

const dayMs = 86_400_000;

type JudgedLicense = Pick<License, 'status' | 'starts_at' | 'expires_at' | 'last_validated_at' | 'activations_count'>;
type JudgedPolicy = Pick<Policy, 'grace_days' | 'expiry_strategy' | 'expiry_basis' | 'duration_days'>;

/** Returns what the status of a license means for its holder now, as one or two sentences. */
export function statusMeaning(license: JudgedLicense, policy: JudgedPolicy | undefined, nowMs = Date.now()): string {
  switch (license.status) {
    case 'revoked':
      return 'Revoked permanently: every validation is refused.';
    case 'suspended':
      return 'Suspended: every validation is refused until you reinstate the license.';
    case 'pending':
      return `Starts ${formatRelative(license.starts_at, nowMs)}. Validations are refused before that.`;
    default:
      return termMeaning(license, policy, nowMs);
  }
}

function termMeaning({ expires_at }: JudgedLicense, policy: JudgedPolicy | undefined, nowMs: number): string {
  if (expires_at === null) return endlessMeaning(policy);
  const endMs = new Date(expires_at).getTime();
  const when = formatRelative(expires_at, nowMs);
  const graceDays = policy?.grace_days ?? 0;
  if (endMs > nowMs) {
    if (policy?.expiry_strategy === 'allow') return `Expires ${when}, and stays usable afterwards.`;
    return graceDays > 0 ? `Expires ${when}, then ${count(graceDays, 'day')} of grace.` : `Expires ${when}.`;
  }
  if (policy?.expiry_strategy === 'allow') return `Expired ${when}. Its policy lets it be used all the same.`;
  const graceEndMs = endMs + graceDays * dayMs;
  if (graceEndMs > nowMs) {
    return `Expired ${when}, still usable: the grace ends ${formatRelative(new Date(graceEndMs).toISOString(), nowMs)}.`;
  }
  return `Expired ${when}: every validation is refused until you renew the license.`;
}

function endlessMeaning(policy: JudgedPolicy | undefined): string {
  if (policy?.duration_days == null || policy.expiry_basis === 'creation') return 'Valid without an end.';
  const begins = policy.expiry_basis === 'first_validation' ? 'validation' : 'activation';
  return `Valid. Its term of ${count(policy.duration_days, 'day')} begins with the first ${begins}.`;
}
