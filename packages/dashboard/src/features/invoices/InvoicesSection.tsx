import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Invoice, invoicesQuery } from '../../api/billing.ts';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { Section } from '../../components/Section.tsx';
import { Receipt } from '../../icons/icons.gen.ts';
import { pathOn } from '../../shell/SurfaceLink.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import type { Surface } from '../../surfaces.ts';
import { billingSearch, invoiceStatuses } from '../billing/search.ts';
import { InvoiceStatusBadge } from './InvoiceDocument.tsx';
import { SaveFileButton } from './InvoiceFiles.tsx';

/** The invoices of the tenant. */
export function InvoicesSection({ surface }: { readonly surface: Surface }) {
  const [{ status, cursor }, , bar] = useFilters(billingSearch, 'status');
  const query = useQuery(invoicesQuery(surface, { ...(status && { status }), ...(cursor && { cursor }) }));
  const columns: Column<Invoice>[] = [
    { header: 'Number', cell: ({ number }) => <span style={{ whiteSpace: 'nowrap' }}>{number ?? 'Draft'}</span> },
    { header: 'Status', cell: (invoice) => <InvoiceStatusBadge invoice={invoice} /> },
    timeColumn('Date', ({ finalized_at, created_at }) => finalized_at ?? created_at, {
      format: 'date',
      isSecondary: true,
    }),
    {
      header: 'Total',
      align: 'right',
      cell: ({ total, currency }) => <MoneyText amount={total} currency={currency} />,
    },
    {
      header: 'PDF',
      isHeaderHidden: true,
      align: 'right',
      width: 64,
      cell: ({ id, number }) =>
        number !== null && (
          <SaveFileButton file={{ invoiceId: id, creditNoteId: null, format: 'pdf' }} number={number} isCompact />
        ),
    },
  ];
  return (
    <Section
      title="Invoices"
      actions={
        <FilterBar filters={bar}>
          <SelectFilter name="status" label="Status" options={invoiceStatuses} />
        </FilterBar>
      }
    >
      <Stack gap={0}>
        <DataTable
          caption="Invoices"
          columns={columns}
          query={query}
          rowPath={({ id }) => pathOn(surface, `/billing/invoices/${id}`)}
          skeletonRows={3}
          empty={{
            icon: Receipt,
            title: status === undefined ? 'No invoices yet' : 'No invoices have this status',
            description:
              status === undefined
                ? 'Each payment creates an invoice, which you can view here or download as a PDF.'
                : 'Choose another status or reset the filter.',
          }}
        />
      </Stack>
    </Section>
  );
}
