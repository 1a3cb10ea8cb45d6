import { Text } from '@mantine/core';
import type { License } from '../../api/licenses.ts';
import { CopyIcon } from '../../components/CopyableText.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { ExpiryText } from '../../components/ExpiryText.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { TwoLines } from '../../components/TwoLines.tsx';
import { formatNumber, truncateMiddle } from '../../lib/text.ts';

/** Returns how people recognise a holder: the name, otherwise the email address or the reference. */
export function holderName({ name, email, reference }: License['holder']): string | null {
  return name ?? email ?? reference;
}

/** Returns the active devices of a license and its limit: `2 / 3`, `2 / ∞`. */
export function seats({ activations_count: active, activations_limit: limit }: License): string {
  return `${formatNumber(active)} / ${limit === null || limit === undefined ? '∞' : formatNumber(limit)}`;
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

function Key({ license: { key }, length = 19 }: KeyProps) {
  return (
    <Text span ff="monospace" size="sm" title={key} style={{ whiteSpace: 'nowrap' }}>
      {truncateMiddle(key, length)}
    </Text>
  );
}

/** The columns of a list of licenses. */
export const licenseColumns: readonly Column<License>[] = [
  { header: 'Holder', cell: (license) => <Holder holder={license.holder} license={license} /> },
  { header: 'Key', isSecondary: true, width: 176, cell: (license) => <Key license={license} /> },
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
  { header: 'Activations', isSecondary: true, align: 'right', cell: seats },
  {
    header: 'Last validated',
    isSecondary: true,
    cell: ({ last_validated_at }) => <TimeText value={last_validated_at} format="relative" fallback="Never" />,
  },
];
