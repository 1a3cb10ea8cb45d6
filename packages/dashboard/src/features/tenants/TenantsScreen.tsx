import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { platformPlansQuery, type Tenant, tenantsQuery } from '../../api/tenants.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page } from '../../components/Page.tsx';
import { Panel } from '../../components/Panel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Dimmed } from '../../components/Texts.tsx';
import { Building2, Plus, TriangleAlert } from '../../icons/icons.gen.ts';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { PlanName } from '../plans/PlanName.tsx';
import { FindLicense } from './FindLicense.tsx';
import { tenantSearch, tenantStatuses } from './search.ts';
import { NewTenantForm } from './TenantForms.tsx';

const columns: readonly Column<Tenant>[] = [
  { header: 'Name', cell: ({ name }) => name },
  {
    header: 'Status',
    cell: ({ status, past_due }) => (
      <Group gap={6} wrap="nowrap">
        <StatusBadge status={status} />
        {past_due !== null && <StatusBadge status="past_due" />}
      </Group>
    ),
    width: 190,
  },
  { header: 'Plan', cell: ({ plan_code }) => <PlanName code={plan_code} />, isSecondary: true, width: 140 },
  {
    header: 'Limits',
    cell: ({ limit_overrides: overrides }) =>
      Object.keys(overrides).length === 0 ? <Dimmed>From plan</Dimmed> : 'Changed',
    isSecondary: true,
    width: 120,
  },
  { header: 'Placement', cell: ({ placement }) => placement, isSecondary: true, width: 170 },
  timeColumn('Created', ({ created_at }) => created_at, {
    format: 'date',
    align: 'right',
    isSecondary: true,
    width: 130,
  }),
];

/** The tenants of the platform. */
export default function TenantsScreen(): ReactNode {
  const [{ panel, ...filters }, change, bar] = useFilters(tenantSearch, 'q', 'status', 'plan_code');
  const query = useQuery(tenantsQuery(filters));
  const { data: plans = [] } = useQuery(platformPlansQuery());
  const mayWrite = useWritesPlatform();
  const newButton = mayWrite && (
    <ActionButton icon={Plus} label="New tenant" onClick={() => void change({ panel: 'new' })} />
  );
  return (
    <Page
      title="Tenants"
      description="The vendors that license their software with this platform."
      actions={
        <>
          <Button variant="default" onClick={() => void change({ panel: 'license' })}>
            Find a license
          </Button>
          {newButton}
        </>
      }
    >
      <FilterBar filters={bar}>
        <SearchFilter name="q" label="Search by name or ID" />
        <SelectFilter name="status" label="Status" options={tenantStatuses} />
        <SelectFilter
          name="plan_code"
          label="Plan"
          options={plans.map(({ code, name }) => ({ value: code, label: name }))}
          isSearchable
        />
      </FilterBar>
      <DataTable
        caption="Tenants"
        columns={columns}
        query={query}
        rowPath={({ id }) => `/admin/tenants/${id}`}
        empty={{
          icon: Building2,
          title: 'No tenants yet',
          description:
            'A tenant is a vendor with its own database. Vendors can sign up themselves, or you can create them here.',
          action: newButton,
          noMatch: bar.isFiltered && {
            icon: TriangleAlert,
            title: 'No tenants match',
            description: 'Change the filters or reset them.',
          },
        }}
      />
      <Panel
        title="Find a license"
        isOpen={panel === 'license'}
        onClose={() => void change({ panel: undefined })}
        size="md"
      >
        <FindLicense />
      </Panel>
      <FormDrawer
        title="New tenant"
        isOpen={mayWrite && panel === 'new'}
        onClose={() => void change({ panel: undefined })}
        size="md"
      >
        <NewTenantForm />
      </FormDrawer>
    </Page>
  );
}
