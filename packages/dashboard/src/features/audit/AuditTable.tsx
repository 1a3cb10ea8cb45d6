import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditRecord } from '../../api/audit-logs.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { type Column, DataTable, type DataTableProps } from '../../components/DataTable.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { AuditSentence } from './AuditSentence.tsx';

const none = (
  <Text span inherit c="dimmed">
    —
  </Text>
);

const columns: readonly Column<AuditRecord>[] = [
  { header: 'What happened', cell: (record) => <AuditSentence record={record} /> },
  {
    header: 'Address',
    cell: ({ ip }) => (ip === null ? none : <span className="tabular">{ip}</span>),
    isSecondary: true,
    width: 130,
  },
  {
    header: 'Request',
    cell: ({ request_id: id }) =>
      id === null ? none : <CopyableText value={id} label="request id" maxLength={13} size="xs" />,
    isSecondary: true,
    width: 150,
  },
  {
    header: 'Time',
    cell: ({ occurred_at }) => <TimeText value={occurred_at} />,
    align: 'right',
    isSecondary: true,
    width: 172,
  },
];

/** What the table shows. */
export interface AuditTableProps {
  readonly query: DataTableProps<AuditRecord>['query'];
  readonly empty: ReactNode;
}

/** A page of audit records as sentences. */
export function AuditTable({ query, empty }: AuditTableProps) {
  return <DataTable caption="Audit records" columns={columns} query={query} rowKey={({ id }) => id} empty={empty} />;
}
