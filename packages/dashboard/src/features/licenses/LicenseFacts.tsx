import { Text } from '@mantine/core';
import type { License } from '../../api/licenses.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { formatNumber } from '../../lib/text.ts';
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
          { label: 'Email', value: or(holder.email) },
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
