import { Button, Stack, Text } from '@mantine/core';
import { useId, useState } from 'react';
import type { License } from '../../api/licenses.ts';
import type { Policy } from '../../api/tenant-catalog.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { pendingTermText, termLength } from '../../components/ExpiryText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { Dimmed } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { notLimitedText } from '../../lib/devices.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { formatEnd, formatWhen } from '../../lib/time.ts';
import { SurfaceLink } from '../../shell/SurfaceLink.tsx';
import { devicesOf, devicesSentence } from './columns.tsx';
import { type LicenseField, licenseFieldList } from './fields.ts';

function or(text: string | null) {
  return text ?? <Dimmed>—</Dimmed>;
}

/** The end of the license, or what it depends on. */
function Expiry({ license: { expires_at, pending_term } }: { readonly license: License }) {
  if (expires_at === null && pending_term != null) return or(pendingTermText(pending_term));
  return <TimeText value={expires_at} fallback="Never" />;
}

function FieldValue({ kind, value }: Pick<LicenseField, 'kind'> & { readonly value: string | number | null }) {
  if (kind === 'date') return <TimeText value={value === null ? null : String(value)} fallback="Never" />;
  return or(value === null ? null : String(value));
}

interface LicenseFactsProps {
  readonly license: License;
  readonly policy: Policy | undefined;
}

/** The key, the holder and the terms of a license. What people look up rarely is folded. */
export function LicenseFacts({ license, policy }: LicenseFactsProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { metadata } = license;
  return (
    <Section
      title="Details"
      actions={
        <Button
          size="compact-sm"
          variant="subtle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Fewer details' : 'All details'}
        </Button>
      }
    >
      <Facts items={firstFacts(license, policy)} />
      <div id={id} hidden={!isOpen}>
        <Stack gap="md">
          <Facts items={furtherFacts(license)} />
          {Object.keys(metadata).length > 0 && <CodeBlock code={JSON.stringify(metadata, null, 2)} label="metadata" />}
        </Stack>
      </div>
    </Section>
  );
}

/** What support requests are about: the key, who holds it, its devices and its end. */
function firstFacts(license: License, policy: Policy | undefined) {
  const { holder } = license;
  const own = license.max_activations === null ? 'from the policy' : "the license's own limit";
  const isUnlimited = policy?.require_activation === false && license.activations_limit != null;
  return [
    { label: 'Key', value: <CopyableText value={license.key} label="license key" /> },
    { label: 'Customer', value: or(holder.name) },
    {
      label: 'Email',
      value:
        holder.email === null ? (
          or(null)
        ) : (
          <SurfaceLink to={`/customers/${encodeURIComponent(holder.email)}`}>{holder.email}</SurfaceLink>
        ),
    },
    {
      label: 'Devices',
      value: (
        <span className="tabular">
          {license.activations_limit === license.activations_admitted ? devicesOf(license) : devicesSentence(license)}{' '}
          <Text span size="sm" c="dimmed">
            ({own})
          </Text>
          {isUnlimited && (
            <Text span size="sm" c="dimmed" display="block">
              {notLimitedText}
            </Text>
          )}
        </span>
      ),
    },
    { label: 'Expires', value: <Expiry license={license} /> },
    {
      label: 'Last validated',
      value: <TimeText value={license.last_validated_at} format="relative" fallback="Never" />,
    },
  ];
}

function furtherFacts(license: License) {
  return [
    {
      label: 'Product',
      value: <SurfaceLink to={`/products/${license.product_id}`}>{license.product_name}</SurfaceLink>,
    },
    {
      label: 'Policy',
      value: <SurfaceLink to={`/policies/${license.policy_id}`}>{license.policy_name}</SurfaceLink>,
    },
    { label: 'Reference', value: or(license.holder.reference) },
    { label: 'Starts', value: <TimeText value={license.starts_at} /> },
    ...licenseFieldList.flatMap(([name, { fact, kind }]) =>
      fact === undefined || name === 'expires_at'
        ? []
        : [{ label: fact, value: <FieldValue kind={kind} value={license[name]} /> }],
    ),
    { label: 'Devices that the customer released', value: formatNumber(license.deactivations_count) },
    { label: 'License ID', value: <CopyableText value={license.id} label="license ID" maxLength={19} /> },
    { label: 'Created', value: <TimeText value={license.created_at} /> },
    { label: 'Changed', value: <TimeText value={license.updated_at} format="relative" /> },
  ];
}

const dayMs = 86_400_000;

type JudgedLicense = Pick<License, 'status' | 'status_reason' | 'starts_at' | 'expires_at' | 'pending_term'>;
type JudgedPolicy = Pick<Policy, 'grace_days' | 'expiry_strategy'>;

/** Returns what the status of a license means for its holder now, as one or two sentences. */
export function statusMeaning(license: JudgedLicense, policy: JudgedPolicy | undefined, nowMs = Date.now()): string {
  const { status_reason: reason } = license;
  return `${meaningOf(license, policy, nowMs)}${reason === null ? '' : ` Reason: ${reason}`}`;
}

function meaningOf(license: JudgedLicense, policy: JudgedPolicy | undefined, nowMs: number): string {
  switch (license.status) {
    case 'revoked':
      return 'Revoked permanently. Every validation is refused.';
    case 'suspended':
      return 'Suspended. Every validation is refused until you reinstate the license.';
    case 'pending':
      return `Starts ${formatWhen(license.starts_at, nowMs)}. Validations are refused before that.`;
    default:
      return termMeaning(license, policy, nowMs);
  }
}

function termMeaning(
  { expires_at, pending_term }: JudgedLicense,
  policy: JudgedPolicy | undefined,
  nowMs: number,
): string {
  if (expires_at === null) return pending_term == null ? 'Never expires.' : pendingMeaning(pending_term);
  const endMs = new Date(expires_at).getTime();
  const when = formatEnd(expires_at, nowMs);
  const graceDays = policy?.grace_days ?? 0;
  if (endMs > nowMs) {
    if (policy?.expiry_strategy === 'allow') return `Expires ${when}. Its policy allows use after the expiry.`;
    return graceDays > 0 ? `Expires ${when}, then ${count(graceDays, 'day')} of grace.` : `Expires ${when}.`;
  }
  if (policy?.expiry_strategy === 'allow') return `Expired ${when}. Its policy allows use after the expiry.`;
  const graceEndMs = endMs + graceDays * dayMs;
  if (graceEndMs > nowMs) {
    return `Expired ${when}. It works until the grace period ends ${formatEnd(new Date(graceEndMs).toISOString(), nowMs)}.`;
  }
  return `Expired ${when}. Every validation is refused until you renew the license.`;
}

function pendingMeaning(term: NonNullable<License['pending_term']>): string {
  const first = term.begins_with === 'first_validation' ? 'validation' : 'activation';
  const end = term.ends_with_month ? ', and ends with that month' : '';
  return `Valid. Its term of ${termLength(term.duration_days, term.duration_months)} begins with the first ${first}${end}.`;
}
