import type { Release } from '../../api/releases.ts';
import { type Column, timeColumn } from '../../components/DataTable.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Mono } from '../../components/Texts.tsx';
import { formatNumber, words } from '../../lib/text.ts';

/** What releases are for. */
export const purpose =
  'A release is a version of the product. The portal and updaters offer its files to the customers whose license permits them.';

/** The columns of a list of releases. */
export const releaseColumns: readonly Column<Release>[] = [
  { header: 'Version', cell: ({ version }) => <Mono>{version}</Mono> },
  { header: 'Channel', cell: ({ channel }) => words(channel) },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  timeColumn('Released at', ({ released_at }) => released_at, { format: 'date', isSecondary: true }),
  {
    header: 'Downloads',
    cell: ({ downloads_count }) => formatNumber(downloads_count),
    align: 'right',
    isSecondary: true,
  },
];
