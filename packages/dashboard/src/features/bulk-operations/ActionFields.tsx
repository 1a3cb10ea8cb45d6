import { Checkbox, Group, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { BulkAction } from '../../api/bulk.ts';
import { entitlementOptionsQuery } from '../../api/tenant-catalog.ts';
import { PolicyInput } from '../../components/ChoiceInput.tsx';
import { ExpiryInput } from '../../components/ExpiryInput.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import type { ActionValues } from './action-values.ts';

interface ActionFieldsProps {
  readonly type: BulkAction['type'];
  readonly form: UseFormReturnType<ActionValues>;
  /** Only policies of this product are offered. */
  readonly productId?: string | undefined;
}

/** The fields that a type of action needs, its reason, and whether the holders get a mail. */
export function ActionFields({ type, form, productId }: ActionFieldsProps) {
  return (
    <>
      {type === 'extend' && <DurationFields form={form} />}
      {type === 'set_expiry' && (
        <ExpiryInput
          {...form.getInputProps('expires_at')}
          description="Leave this empty if the licenses never expire."
          w="100%"
        />
      )}
      {type === 'change_policy' && (
        <PolicyInput label="New policy" productId={productId} withAsterisk {...form.getInputProps('policy_id')} />
      )}
      {type === 'set_limit' && (
        <NumberInput
          label="Devices per license"
          description="Leave this empty to use the limit of the policy."
          min={0}
          max={1_000_000}
          allowDecimal={false}
          data-autofocus
          {...form.getInputProps('max_activations')}
        />
      )}
      {type === 'grant_entitlement' && <GrantFields form={form} />}
      <Textarea
        label="Reason"
        description="Kept in the audit log and shown on the licenses."
        maxLength={500}
        autosize
        minRows={2}
        {...form.getInputProps('reason')}
      />
      {type !== 'revoke' && type !== 'grant_entitlement' && (
        <Checkbox
          label="Send the customers the usual mails"
          {...form.getInputProps('notify_holder', { type: 'checkbox' })}
        />
      )}
    </>
  );
}

const units = [
  { value: 'days', label: 'Days' },
  { value: 'months', label: 'Months' },
  { value: 'years', label: 'Years' },
];

function DurationFields({ form }: Pick<ActionFieldsProps, 'form'>) {
  return (
    <Group align="flex-start" gap="xs" wrap="nowrap">
      <NumberInput
        label="Extend by"
        min={1}
        max={1200}
        allowDecimal={false}
        data-autofocus
        style={{ flex: 1 }}
        {...form.getInputProps('amount')}
      />
      <Select label="Unit" data={units} allowDeselect={false} style={{ flex: 1 }} {...form.getInputProps('unit')} />
    </Group>
  );
}

function GrantFields({ form }: Pick<ActionFieldsProps, 'form'>) {
  const { data: entitlements = [] } = useQuery(entitlementOptionsQuery(useSurface()));
  const chosen = entitlements.find(({ code }) => code === form.getValues().entitlement);
  return (
    <>
      <Select
        label="Entitlement"
        withAsterisk
        searchable
        data={entitlements.map(({ code, name }) => ({ value: code, label: name }))}
        {...form.getInputProps('entitlement')}
      />
      {chosen !== undefined && chosen.type !== 'metered' && (
        <TextInput
          label="Value"
          description={
            chosen.type === 'boolean'
              ? 'Enter true or false, or leave this empty to use the value of the policy.'
              : 'Leave this empty to use the value of the policy.'
          }
          {...form.getInputProps('value')}
        />
      )}
      {chosen?.type === 'metered' && (
        <NumberInput
          label="Limit"
          description="Leave this empty to use the limit of the policy."
          min={0}
          allowDecimal={false}
          {...form.getInputProps('limit')}
        />
      )}
    </>
  );
}
