import { Group, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useRef } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import { commerceKey, grantCredit } from '../../api/commerce.ts';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { MoneyInput } from '../../components/Money.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { TenantSelect } from '../../components/TenantSelect.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { parseMoney, problemOfMoney } from '../../lib/money.ts';
import { formatMoney } from '../../lib/text.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { billingAdminSearch } from './search.ts';

/** The form that grants a tenant a credit. */
export function CreditPanel() {
  const [{ panel, tenant_id }, change] = useFilters(billingAdminSearch);
  const close = () => void change({ panel: undefined, tenant_id: undefined });
  return (
    <FormDrawer title="Grant credit" isOpen={panel === 'credit'} onClose={close}>
      <CreditForm tenantId={tenant_id ?? ''} onClose={close} />
    </FormDrawer>
  );
}

interface CreditFormProps {
  readonly tenantId: string;
  readonly onClose: () => void;
}

function CreditForm({ tenantId, onClose }: CreditFormProps) {
  // The service grants a credit once per reference, so a repeated request after a lost answer gives nothing twice.
  const generated = useRef(newIdempotencyKey());
  const resource = useResourceForm({
    initialValues: { tenant_id: tenantId, amount: '', currency: 'usd', reason: '', reference: '' },
    validate: {
      tenant_id: (value) => (value === '' ? 'Choose a tenant.' : null),
      amount: (value, { currency }) => problemOfMoney(value, currency),
      currency: (value) => (/^[a-z]{3}$/.test(value) ? null : 'Enter a currency code of three letters, such as eur.'),
      reason: (value) => (value.trim() === '' ? 'Enter a reason. The audit log records it.' : null),
    },
    submit: ({ tenant_id, amount, currency, reason, reference }) =>
      grantCredit({
        tenant_id,
        amount: parseMoney(amount, currency) ?? 0,
        currency,
        reason: reason.trim(),
        reference: reference.trim() || generated.current,
      }),
    invalidates: [commerceKey],
    onSaved: ({ amount, currency }) => {
      notifications.show({
        message: `Granted ${formatMoney(amount, currency)}. The next invoices are lower.`,
        role: 'status',
      });
      onClose();
    },
  });
  const { form } = resource;
  const tenant = form.getInputProps('tenant_id');
  return (
    <ResourceFormBody resource={resource} submitLabel="Grant credit">
      <TenantSelect
        label="Tenant"
        description="The tenant must have a subscription."
        required
        error={tenant.error}
        value={form.values.tenant_id || undefined}
        onChange={(id) => form.setFieldValue('tenant_id', id ?? '')}
      />
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <MoneyInput
          label="Amount"
          required
          currency={form.values.currency}
          style={{ flex: 1 }}
          {...form.getInputProps('amount')}
        />
        <TextInput
          label="Currency"
          required
          maxLength={3}
          w={96}
          error={form.errors['currency']}
          value={form.values.currency.toUpperCase()}
          onChange={({ currentTarget }) => form.setFieldValue('currency', currentTarget.value.toLowerCase())}
        />
      </Group>
      <Textarea label="Reason" required maxLength={500} {...form.getInputProps('reason')} />
      <TextInput
        label="Reference"
        description="Enter a reference of your own, such as a ticket number. Each reference can be used once per tenant."
        maxLength={100}
        {...form.getInputProps('reference')}
      />
    </ResourceFormBody>
  );
}
