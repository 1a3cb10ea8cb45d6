import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AdminInvoice, adminInvoicesQuery } from '../../api/commerce.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { Section } from '../../components/Section.tsx';
import { PathLink } from '../../shell/PathLink.tsx';
import { InvoiceStatusBadge } from './InvoiceDocument.tsx';

const newest = 5;

/** The newest invoices of one tenant, for admins. */
export function InvoicesOfTenant({ tenantId }: { readonly tenantId: string }) {
  const { data, ...rest } = useQuery(adminInvoicesQuery({ tenant_id: tenantId, limit: newest }));
  // Further pages are on the page of all invoices.
  const query = { ...rest, data: data && { data: data.data, meta: { next_cursor: null } } };
  return (
    <Section
      title="Newest invoices"
      actions={
        <Anchor component={PathLink} to="/admin/invoices" search={{ tenant_id: tenantId }} size="md">
          All invoices of this tenant
        </Anchor>
      }
    >
      <DataTable
        caption="Newest invoices"
        columns={adminInvoiceColumns.filter(({ header }) => header !== 'Tenant')}
        query={query}
        rowPath={({ id }) => `/admin/invoices/${id}`}
        skeletonRows={3}
        empty={{ title: 'No invoices yet', description: 'The first payment creates the first invoice.' }}
      />
    </Section>
  );
}

/** The columns of a list of invoices for admins. */
export const adminInvoiceColumns: Column<AdminInvoice>[] = [
  {
    header: 'Number',
    cell: ({ number, tenant_name }) => (
      <>
        <span style={{ whiteSpace: 'nowrap' }}>{number ?? 'Draft'}</span>
        <Text size="xs" c="dimmed" fw={400} hiddenFrom="xs">
          {tenant_name}
        </Text>
      </>
    ),
  },
  { header: 'Tenant', cell: ({ tenant_name }) => tenant_name, isSecondary: true },
  { header: 'Status', cell: (invoice) => <InvoiceStatusBadge invoice={invoice} /> },
  timeColumn('Date', ({ finalized_at, created_at }) => finalized_at ?? created_at, {
    format: 'date',
    isSecondary: true,
  }),
  timeColumn('Due at', ({ due_at }) => due_at, { format: 'date', isSecondary: true }),
  {
    header: 'Amount due',
    align: 'right',
    cell: ({ amount_due, currency, status }) =>
      status === 'open' ? <MoneyText amount={amount_due} currency={currency} /> : '—',
    isSecondary: true,
  },
  { header: 'Total', align: 'right', cell: ({ total, currency }) => <MoneyText amount={total} currency={currency} /> },
];
