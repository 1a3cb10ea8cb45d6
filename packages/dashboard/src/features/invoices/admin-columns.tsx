import { Text } from '@mantine/core';
import type { AdminInvoice } from '../../api/commerce.ts';
import type { Column } from '../../components/DataTable.tsx';
import { MoneyText } from '../../components/MoneyText.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { InvoiceStatusBadge } from './InvoiceStatusBadge.tsx';

/** The columns of a list of invoices for admins. */
export const adminInvoiceColumns: Column<AdminInvoice>[] = [
  {
    header: 'Number',
    cell: ({ number, tenant_name }) => (
      <>
        <span style={{ whiteSpace: 'nowrap' }}>{number ?? 'Draft'}</span>
        <Text size="xs" c="dimmed" fw={400} hiddenFrom="sm">
          {tenant_name}
        </Text>
      </>
    ),
  },
  { header: 'Tenant', cell: ({ tenant_name }) => tenant_name, isSecondary: true },
  { header: 'Status', cell: (invoice) => <InvoiceStatusBadge invoice={invoice} /> },
  {
    header: 'Date',
    cell: ({ finalized_at, created_at }) => <TimeText value={finalized_at ?? created_at} format="date" />,
    isSecondary: true,
  },
  { header: 'Due at', cell: ({ due_at }) => <TimeText value={due_at} format="date" />, isSecondary: true },
  {
    header: 'Amount due',
    align: 'right',
    cell: ({ amount_due, currency, status }) =>
      status === 'open' ? <MoneyText amount={amount_due} currency={currency} /> : '—',
    isSecondary: true,
  },
  { header: 'Total', align: 'right', cell: ({ total, currency }) => <MoneyText amount={total} currency={currency} /> },
];
