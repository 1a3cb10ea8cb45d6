import { Text } from '@mantine/core';
import type { License } from '../../api/licenses.ts';
import { CopyIcon } from '../../components/CopyableText.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { timeColumn } from '../../components/DataTable.tsx';
import { ExpiryText } from '../../components/ExpiryText.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TwoLines } from '../../components/TwoLines.tsx';
import { devicesText } from '../../lib/devices.ts';
import { count, formatNumber, truncateMiddle } from '../../lib/text.ts';

/** Returns how people recognise a holder: the name, otherwise the email address or the reference. */
export function holderName({ name, email, reference }: License['holder']): string | null {
  return name ?? email ?? reference;
}

/** Returns the active devices of a license and its limit: `2 / 3`, `2 / ∞`, and with one that is tolerated `3 / 2 + 1`. */
export function devicesOf(license: License): string {
  const { activations_count: active, activations_limit: limit, activations_admitted: admitted } = license;
  const numberOr = (value: number | null | undefined) => (value == null ? '∞' : formatNumber(value));
  const extra = limit == null || admitted === limit ? '' : ` + ${numberOr(admitted == null ? null : admitted - limit)}`;
  return `${formatNumber(active)} / ${numberOr(limit)}${extra}`;
}

/**
 * Returns the devices of a license in words: `1 of 2 devices are in use`, and with overage
 * `3 devices in use. The license is for 2 devices, and 1 more is tolerated.`
 */
export function devicesSentence(license: License): string {
  const { activations_count: active, activations_limit: limit = null, activations_admitted: admitted = null } = license;
  if (limit !== null && limit === admitted && active <= limit) {
    return `${formatNumber(active)} of ${count(limit, 'device')} ${limit === 1 ? 'is' : 'are'} in use`;
  }
  return `${count(active, 'device')} in use. The license is for ${devicesText(limit, admitted)}.`;
}

/** The holder first; a license without one shows its key. */
function Holder({ holder, license }: { readonly holder: License['holder']; readonly license: License }) {
  const name = holderName(holder);
  const second = [holder.email, holder.reference].find((text) => text !== null && text !== name);
  if (name === null) return <Key license={license} length={11} />;
  return <TwoLines first={name} second={second} />;
}

interface KeyProps {
  readonly license: License;
  /** The number of characters to show; the others are left out in the middle. */
  readonly length?: number;
}

function Key({ license: { key }, length = 15 }: KeyProps) {
  return (
    <Text span ff="monospace" size="sm" title={key} style={{ whiteSpace: 'nowrap' }}>
      {truncateMiddle(key, length)}
    </Text>
  );
}

/** The columns of a list of licenses. */
export const licenseColumns: readonly Column<License>[] = [
  { header: 'Customer', cell: (license) => <Holder holder={license.holder} license={license} /> },
  { header: 'Key', isSecondary: true, width: 144, cell: (license) => <Key license={license} /> },
  // A link must not contain a button, so the button has a column of its own.
  {
    header: 'Copy',
    isHeaderHidden: true,
    isSecondary: true,
    width: 32,
    cell: ({ key }) => <CopyIcon value={key} label={`key ${key}`} />,
  },
  {
    header: 'Product and policy',
    isSecondary: true,
    cell: ({ product_name, policy_name }) => <TwoLines first={product_name ?? ''} second={policy_name} />,
  },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Expires', cell: (license) => <ExpiryText license={license} /> },
  {
    header: 'Devices',
    isSecondary: true,
    align: 'right',
    cell: (license) => (
      <span title={devicesSentence(license)} style={{ whiteSpace: 'nowrap' }}>
        {devicesOf(license)}
      </span>
    ),
  },
  timeColumn('Last validated', ({ last_validated_at }) => last_validated_at, {
    format: 'relative',
    fallback: 'Never',
    isSecondary: true,
  }),
];
