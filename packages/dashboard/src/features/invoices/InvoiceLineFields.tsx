import { ActionIcon, Button, Fieldset, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Plus, Trash2 } from 'lucide-react';
import { MoneyInput } from '../../components/MoneyInput.tsx';
import { formatMoney } from '../../lib/text.ts';
import { emptyLine, type InvoiceValues, lineAmount, sumOf } from './invoice-values.ts';

const linesMax = 100;

interface InvoiceLineFieldsProps {
  readonly form: UseFormReturnType<InvoiceValues>;
}

/** The lines of a new invoice, with the amount of each and their sum while the person writes. */
export function InvoiceLineFields({ form }: InvoiceLineFieldsProps) {
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
          <Button
            variant="default"
            leftSection={<Plus size={15} aria-hidden="true" />}
            disabled={lines.length >= linesMax}
            onClick={() => form.insertListItem('lines', emptyLine)}
          >
            Add line
          </Button>
          <Text size="md" role="status" className="tabular">
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
        <Text size="md" c="dimmed" mt={7} aria-hidden="true">
          ×
        </Text>
        <MoneyInput
          aria-label="Unit price"
          currency={currency}
          style={{ flex: '1 1 120px' }}
          {...field('unit_amount')}
        />
        <Text size="md" className="tabular" ta="right" mt={7} miw={96} ml="auto" style={{ whiteSpace: 'nowrap' }}>
          {amount === undefined ? '—' : formatMoney(amount, currency)}
        </Text>
      </Group>
    </Stack>
  );
}
