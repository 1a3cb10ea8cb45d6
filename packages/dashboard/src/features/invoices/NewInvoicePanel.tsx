import { NumberInput, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createInvoice } from '../../api/admin-invoices.ts';
import { type AdminInvoice, commerceKey } from '../../api/commerce.ts';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { TenantSelect } from '../../components/TenantSelect.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { useUnsaved } from '../../components/use-unsaved.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { adminInvoiceSearch } from './admin-search.ts';
import { InvoiceLineFields } from './InvoiceLineFields.tsx';
import { type InvoiceValues, invoiceInput, newInvoice, problemsOf } from './invoice-values.ts';

/** The panel that creates a single invoice, outside any subscription. */
export function NewInvoicePanel() {
  const [{ panel, tenant_id }, change] = useFilters(adminInvoiceSearch);
  const close = () => void change({ panel: undefined });
  return (
    <FormDrawer title="New invoice" isOpen={panel === 'new'} onClose={close}>
      {(onUnsaved) => <InvoiceForm tenantId={tenant_id ?? ''} onUnsaved={onUnsaved} onClose={close} />}
    </FormDrawer>
  );
}

interface InvoiceFormProps {
  readonly tenantId: string;
  readonly onUnsaved: (isUnsaved: boolean) => void;
  readonly onClose: () => void;
}

function InvoiceForm({ tenantId, onUnsaved, onClose }: InvoiceFormProps) {
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
  useUnsaved(resource.isUnsaved, onUnsaved);
  const { form } = resource;
  const { tenant_id, currency } = form.values;
  return (
    <ResourceFormBody resource={resource} submitLabel="Create draft" onCancel={onClose}>
      <Text size="md" c="dimmed">
        For anything outside a subscription. It starts as a draft: nothing is sent or charged before you finalize it.
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
