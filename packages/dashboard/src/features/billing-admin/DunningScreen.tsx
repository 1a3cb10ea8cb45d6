import { Group, Menu, Stack, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type DunningCase, dunningQuery, type InvoiceAction } from '../../api/commerce.ts';
import { actionsColumn, type Column, DataTable, timeColumn } from '../../components/DataTable.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { RowActions } from '../../components/MoreActions.tsx';
import { Page } from '../../components/Page.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Hint } from '../../components/Texts.tsx';
import { CircleCheckBig } from '../../icons/icons.gen.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useWritesBilling } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { InvoiceActionDialog } from '../invoices/InvoiceActions.tsx';
import { invoiceActionTexts } from '../invoices/invoice-actions.ts';
import { BillingGate } from './BillingGate.tsx';
import classes from './DunningStages.module.css';
import { dunningSearch } from './search.ts';

/** The overdue subscriptions: stage of the reminders, open amount, and actions. */
export default function DunningScreen(): ReactNode {
  return (
    <BillingGate title="Dunning">
      <Cases />
    </BillingGate>
  );
}

interface ChosenAction {
  readonly invoiceId: string;
  readonly tenantName: string;
  readonly action: InvoiceAction;
}

function Cases() {
  const mayWrite = useWritesBilling();
  const [search] = useFilters(dunningSearch);
  const query = useQuery(dunningQuery(search));
  const [chosen, setChosen] = useState<ChosenAction | null>(null);
  const columns: Column<DunningCase>[] = [
    { header: 'Tenant', cell: ({ tenant_name }) => tenant_name },
    {
      header: 'Status',
      cell: ({ tenant_status }) => <StatusBadge status={tenant_status === 'active' ? 'past_due' : tenant_status} />,
    },
    { header: 'Reminders', cell: ({ stages_told }) => <DunningStages told={stages_told} />, isSecondary: true },
    timeColumn('Overdue since', ({ past_due_since }) => past_due_since, { format: 'date', isSecondary: true }),
    timeColumn('Grace ends', ({ grace_ends_at }) => grace_ends_at, { format: 'date', isSecondary: true }),
    {
      header: 'Open amount',
      align: 'right',
      cell: ({ open_amount, currency }) => <MoneyText amount={open_amount} currency={currency} />,
    },
    actionsColumn((row) => <CaseMenu row={row} mayWrite={mayWrite} onChoose={setChosen} />, { width: 56 }),
  ];
  return (
    <Page
      title="Dunning"
      description="Subscriptions whose payment failed. The owners get a mail at each stage. After the last stage, the tenant is suspended until it pays."
    >
      <Stack gap="sm">
        {!mayWrite && (
          <Hint>You need the role billing admin or super admin to retry, void or write off a payment.</Hint>
        )}
        <DataTable
          caption="Overdue subscriptions"
          columns={columns}
          query={query}
          rowPath={({ id }) => `/admin/subscriptions/${id}`}
          empty={{
            icon: CircleCheckBig,
            title: 'Nothing is overdue',
            description: 'A subscription whose payment failed appears here until it is paid, written off or ended.',
          }}
        />
      </Stack>
      <InvoiceActionDialog
        id={chosen?.invoiceId ?? ''}
        name={`The open invoice of ${chosen?.tenantName ?? ''}`}
        action={chosen?.action ?? null}
        onClose={() => setChosen(null)}
      />
    </Page>
  );
}

interface CaseMenuProps {
  readonly row: DunningCase;
  readonly mayWrite: boolean;
  readonly onChoose: (chosen: ChosenAction) => void;
}

/** The actions on the open invoices of a case. */
function CaseMenu({ row, mayWrite, onChoose }: CaseMenuProps) {
  const { open_invoice_ids, tenant_name } = row;
  const [only] = open_invoice_ids;
  if (only === undefined) return null;
  return (
    <RowActions label={`Actions on ${tenant_name}`}>
      {open_invoice_ids.map((id, index) => (
        <Menu.Item key={id} component={PathLink} to={`/admin/invoices/${id}`}>
          {open_invoice_ids.length === 1 ? 'Open invoice' : `Open invoice ${index + 1}`}
        </Menu.Item>
      ))}
      {mayWrite &&
        open_invoice_ids.length === 1 &&
        (['retry', 'mark-uncollectible', 'void'] as const).map((action) => (
          <Menu.Item key={action} onClick={() => onChoose({ invoiceId: only, tenantName: tenant_name, action })}>
            {invoiceActionTexts[action].label}
          </Menu.Item>
        ))}
    </RowActions>
  );
}

const stages = [
  { name: 'failed', label: 'Payment failed' },
  { name: 'mid_grace', label: 'Halfway through grace period' },
  { name: 'last_day', label: 'Last day of grace period' },
  { name: 'suspended', label: 'Suspended' },
] as const;

/** How far the reminders of a failed payment are: one bar per stage, and the last stage in words. */
function DunningStages({ told }: { readonly told: readonly string[] }) {
  const last = stages.findLast(({ name }) => told.includes(name));
  return (
    <Group gap={8} wrap="nowrap">
      <Tooltip label={stages.map(({ name, label }) => `${label}${told.includes(name) ? ' ✓' : ''}`).join(' · ')}>
        <Group gap={3} wrap="nowrap" aria-hidden="true">
          {stages.map(({ name }) => (
            <span key={name} className={classes['bar']} data-told={told.includes(name)} />
          ))}
        </Group>
      </Tooltip>
      <Text span inherit>
        {last?.label ?? 'None yet'}
      </Text>
    </Group>
  );
}
