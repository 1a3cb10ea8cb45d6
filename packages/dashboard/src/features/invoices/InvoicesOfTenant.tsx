import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { adminInvoicesQuery } from '../../api/commerce.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Section } from '../../components/Section.tsx';
import { PathLink } from '../../shell/PathLink.tsx';
import { adminInvoiceColumns } from './admin-columns.tsx';

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
          All invoices of the tenant
        </Anchor>
      }
    >
      <DataTable
        caption="Newest invoices"
        columns={adminInvoiceColumns.filter(({ header }) => header !== 'Tenant')}
        query={query}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/admin/invoices/${id}`}
        skeletonRows={3}
        empty={<EmptyState title="No invoices yet" description="The first invoice follows with the first payment." />}
      />
    </Section>
  );
}
