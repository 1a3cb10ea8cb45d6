import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Receipt } from 'lucide-react';
import type { ReactNode } from 'react';
import { adminInvoicesQuery } from '../../api/commerce.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { Page } from '../../components/Page.tsx';
import { TenantFilter } from '../../components/TenantSelect.tsx';
import { useAdminRole } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { allowsBillingWrites } from '../../surfaces.ts';
import { invoiceStatuses } from '../billing/search.ts';
import { adminInvoiceSearch } from './admin-search.ts';
import { adminInvoiceColumns } from './InvoicesOfTenant.tsx';
import { NewInvoicePanel } from './NewInvoicePanel.tsx';

/** The invoices of all tenants. */
export function AdminInvoicesScreen(): ReactNode {
  const [{ panel: _, ...search }, change] = useFilters(adminInvoiceSearch);
  const mayWrite = allowsBillingWrites(useAdminRole());
  const { status, tenant_id } = search;
  const query = useQuery(adminInvoicesQuery(search));
  const isFiltered = status !== undefined || tenant_id !== undefined;
  return (
    <Page
      title="Invoices"
      description="What tenants were charged, as the payment provider last reported it."
      actions={mayWrite && <Button onClick={() => void change({ panel: 'new' })}>New invoice</Button>}
    >
      <FilterBar isFiltered={isFiltered} onReset={() => void change({ status: undefined, tenant_id: undefined })}>
        <TenantFilter value={tenant_id} onChange={(value) => void change({ tenant_id: value })} />
        <SelectFilter
          label="Status"
          options={invoiceStatuses}
          value={status}
          onChange={(value) => void change({ status: value })}
        />
      </FilterBar>
      <DataTable
        caption="Invoices"
        columns={adminInvoiceColumns}
        query={query}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/admin/invoices/${id}`}
        empty={
          <EmptyState
            icon={Receipt}
            title={isFiltered ? 'No invoice matches the filters' : 'No invoices yet'}
            description="Each payment of a subscription has an invoice, and you can write single ones."
          />
        }
      />
      {mayWrite && <NewInvoicePanel />}
    </Page>
  );
}
