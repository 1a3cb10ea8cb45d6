import { ActionIcon, Fieldset, Group, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type AdminInvoice, adminInvoicesQuery, commerceKey, createInvoice } from '../../api/commerce.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { FilterBar, SelectFilter } from '../../components/FilterBar.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { MoneyInput } from '../../components/Money.tsx';
import { Page } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { TenantFilter, TenantSelect } from '../../components/TenantSelect.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Plus, Receipt, Trash2 } from '../../icons/icons.gen.ts';
import { formatMoney } from '../../lib/text.ts';
import { useWritesBilling } from '../../shell/PlatformArea.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import { invoiceStatuses } from '../billing/search.ts';
import { adminInvoiceSearch } from './admin-search.ts';
import { adminInvoiceColumns } from './InvoicesOfTenant.tsx';
import {
  emptyLine,
  type InvoiceValues,
  invoiceInput,
  lineAmount,
  newInvoice,
  problemsOf,
  sumOf,
} from './invoice-values.ts';

/** The invoices of all tenants. */
export default function AdminInvoicesScreen(): ReactNode {
  const [{ panel: _, ...search }, change, bar] = useFilters(adminInvoiceSearch, 'status', 'tenant_id');
  const mayWrite = useWritesBilling();
  const query = useQuery(adminInvoicesQuery(search));
  return (
    <Page
      title="Invoices"
      description="Invoices of all tenants, as the payment provider last reported them."
      actions={
        mayWrite && <ActionButton icon={Plus} label="New invoice" onClick={() => void change({ panel: 'new' })} />
      }
    >
      <FilterBar filters={bar}>
        <TenantFilter />
        <SelectFilter name="status" label="Status" options={invoiceStatuses} />
      </FilterBar>
      <DataTable
        caption="Invoices"
        columns={adminInvoiceColumns}
        query={query}
        rowPath={({ id }) => `/admin/invoices/${id}`}
        empty={{
          icon: Receipt,
          title: bar.isFiltered ? 'No invoices match the filters' : 'No invoices yet',
          description: 'Each payment of a subscription creates an invoice. You can also create single invoices.',
        }}
      />
      {mayWrite && <NewInvoicePanel />}
    </Page>
  );
}

/** The panel that creates a single invoice, outside any subscription. */
function NewInvoicePanel() {
  const [{ panel, tenant_id }, change] = useFilters(adminInvoiceSearch);
  const close = () => void change({ panel: undefined });
  return (
    <FormDrawer title="New invoice" isOpen={panel === 'new'} onClose={close}>
      <InvoiceForm tenantId={tenant_id ?? ''} />
    </FormDrawer>
  );
}

interface InvoiceFormProps {
  readonly tenantId: string;
}

function InvoiceForm({ tenantId }: InvoiceFormProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const resource = useResourceForm<InvoiceValues, AdminInvoice>({
    initialValues: newInvoice(tenantId),
    validate: problemsOf,
    submit: (values, idempotencyKey) => createInvoice(invoiceInput(values), idempotencyKey),
    onSaved: async ({ id }) => {
      await navigate({ to: `/admin/invoices/${id}` } as object);
      await client.invalidateQueries({ queryKey: commerceKey });
    },
  });
  const { form } = resource;
  const { tenant_id, currency } = form.values;
  return (
    <ResourceFormBody resource={resource} submitLabel="Create draft">
      <Text c="dimmed">
        Use this for anything outside a subscription. The invoice starts as a draft. Nothing is sent or charged until
        you finalize it.
      </Text>
      <TenantSelect
        label="Tenant"
        required
        error={form.errors['tenant_id']}
        value={tenant_id || undefined}
        onChange={(id) => form.setFieldValue('tenant_id', id ?? '')}
      />
      <SimpleGrid cols={2} spacing="sm">
        <TextInput
          label="Currency"
          required
          maxLength={3}
          error={form.errors['currency']}
          value={currency.toUpperCase()}
          onChange={({ currentTarget }) => form.setFieldValue('currency', currentTarget.value.toLowerCase())}
        />
        <NumberInput
          label="Due in days"
          required
          min={0}
          max={365}
          allowDecimal={false}
          {...form.getInputProps('due_in_days')}
        />
      </SimpleGrid>
      <InvoiceLineFields form={form} />
    </ResourceFormBody>
  );
}

const linesMax = 100;

interface InvoiceLineFieldsProps {
  readonly form: UseFormReturnType<InvoiceValues>;
}

/** The lines of a new invoice, with the amount of each and their sum while the person writes. */
function InvoiceLineFields({ form }: InvoiceLineFieldsProps) {
  const { lines, currency } = form.values;
  return (
    <Fieldset legend="Lines">
      <Stack gap="md">
        {lines.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name while it is edited.
          <LineFields key={index} form={form} index={index} />
        ))}
        {form.errors['lines'] !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {form.errors['lines']}
          </Text>
        )}
        <Group justify="space-between" gap="xs">
          <ActionButton
            icon={Plus}
            label="Add line"
            variant="default"
            disabled={lines.length >= linesMax}
            onClick={() => form.insertListItem('lines', emptyLine)}
          />
          <Text role="status" className="tabular">
            Sum before tax <b>{formatMoney(sumOf(form.values), currency)}</b>
          </Text>
        </Group>
      </Stack>
    </Fieldset>
  );
}

function LineFields({ form, index }: InvoiceLineFieldsProps & { readonly index: number }) {
  const { lines, currency } = form.values;
  const line = lines[index];
  const amount = line && lineAmount(line, currency);
  const field = (name: string) => form.getInputProps(`lines.${index}.${name}`);
  return (
    <Stack gap={6} role="group" aria-label={`Line ${index + 1}`}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          aria-label="Description"
          placeholder="Description"
          maxLength={500}
          style={{ flex: 1 }}
          {...field('description')}
        />
        <ActionIcon
          size="lg"
          aria-label={`Remove line ${index + 1}`}
          disabled={lines.length === 1}
          onClick={() => form.removeListItem('lines', index)}
        >
          <Trash2 size={15} aria-hidden="true" />
        </ActionIcon>
      </Group>
      <Group gap="xs" align="flex-start">
        <NumberInput
          aria-label="Quantity"
          placeholder="Quantity"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          w={72}
          {...field('quantity')}
        />
        <Text c="dimmed" mt={7} aria-hidden="true">
          ×
        </Text>
        <MoneyInput
          aria-label="Unit price"
          currency={currency}
          style={{ flex: '1 1 120px' }}
          {...field('unit_amount')}
        />
        <Text className="tabular" ta="right" mt={7} miw={96} ml="auto" style={{ whiteSpace: 'nowrap' }}>
          {amount === undefined ? '—' : formatMoney(amount, currency)}
        </Text>
      </Group>
    </Stack>
  );
}
