import { Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreditNote } from '../../api/billing.ts';
import { type AdminInvoice, actOnInvoice, commerceKey, type InvoiceAction, refundInvoice } from '../../api/commerce.ts';
import { ConfirmDialog, FormDialog } from '../../components/ConfirmDialog.tsx';
import { MoneyInput, MoneyText } from '../../components/Money.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { parseMoney, problemOfMoney } from '../../lib/money.ts';
import { formatMoney } from '../../lib/text.ts';
import { SaveFileButton } from './InvoiceFiles.tsx';
import { actionsOf, invoiceActionTexts, refundableOf } from './invoice-actions.ts';

interface InvoiceActionDialogProps {
  readonly id: string;
  /** What the dialog calls the invoice: "Invoice 9F3A01BC-0001". */
  readonly name: string;
  /** Null closes the dialog. */
  readonly action: InvoiceAction | null;
  readonly onClose: () => void;
}

/** Asks before an action on an invoice. */
export function InvoiceActionDialog({ id, name, action, onClose }: InvoiceActionDialogProps) {
  const navigate = useNavigate();
  const text = action === null ? null : invoiceActionTexts[action];
  return (
    <ConfirmDialog
      title={text?.label ?? ''}
      isDangerous={text?.isDangerous ?? false}
      isOpen={action !== null}
      onClose={onClose}
      onConfirm={async () => {
        if (action === null) return;
        await actOnInvoice(id, action);
        if (action === 'delete') await navigate({ to: '/admin/invoices' });
      }}
      invalidates={[commerceKey]}
    >
      <b>{name}</b>. {text?.consequence}
    </ConfirmDialog>
  );
}

interface InvoiceActionsProps {
  readonly invoice: AdminInvoice;
  /** What the dialogs call the invoice. */
  readonly name: string;
}

/** The buttons of the actions on an invoice in its state. */
export function InvoiceActions({ invoice, name }: InvoiceActionsProps) {
  const [action, setAction] = useState<InvoiceAction | null>(null);
  const [isRefunding, setRefunding] = useState(false);
  // The dialog shows the result, which changes what is left.
  const [left, setLeft] = useState(0);
  const refundable = refundableOf(invoice);
  const actions = actionsOf(invoice);
  const open = () => {
    setLeft(refundable);
    setRefunding(true);
  };
  return (
    <>
      {actions.map((one, index) => (
        <Button
          key={one}
          variant={index === actions.length - 1 && refundable === 0 ? 'filled' : 'default'}
          onClick={() => setAction(one)}
        >
          {invoiceActionTexts[one].label}
        </Button>
      ))}
      {refundable > 0 && <Button onClick={open}>Refund invoice</Button>}
      <InvoiceActionDialog id={invoice.id} name={name} action={action} onClose={() => setAction(null)} />
      <FormDialog title="Refund invoice" isOpen={isRefunding} onClose={() => setRefunding(false)}>
        <RefundForm invoice={invoice} left={left} onClose={() => setRefunding(false)} />
      </FormDialog>
    </>
  );
}

interface RefundFormProps {
  readonly invoice: AdminInvoice;
  /** What has not been paid back, in minor units. */
  readonly left: number;
  readonly onClose: () => void;
}

/** Pays an invoice back, in full or in part, and then shows the credit note. */
function RefundForm({ invoice, left, onClose }: RefundFormProps) {
  const { currency, amount_paid } = invoice;
  const [note, setNote] = useState<CreditNote | null>(null);
  const resource = useResourceForm({
    initialValues: { part: 'all', amount: '', reason: '' },
    validate: {
      amount: (value, { part }) => (part === 'all' ? null : problemOfPart(value, currency, left)),
      reason: (value) => (value.trim() === '' ? 'Enter a reason. The credit note shows it.' : null),
    },
    submit: ({ part, amount, reason }, idempotencyKey) =>
      refundInvoice(
        invoice.id,
        { amount: part === 'all' ? left : (parseMoney(amount, currency) ?? 0), reason: reason.trim() },
        idempotencyKey,
      ),
    invalidates: [commerceKey],
    onSaved: setNote,
  });
  if (note !== null) return <RefundResult invoice={invoice} note={note} onClose={onClose} />;
  const { form } = resource;
  const { part, amount } = form.values;
  const wanted = part === 'all' ? left : parseMoney(amount, currency);
  return (
    <ResourceFormBody
      resource={resource}
      submitLabel={
        wanted === undefined || wanted <= 0 || wanted > left ? 'Refund' : `Refund ${formatMoney(wanted, currency)}`
      }
      isDangerous
    >
      <Text>
        <MoneyText amount={amount_paid} currency={currency} /> was paid
        {left < amount_paid && (
          <>
            , and <MoneyText amount={amount_paid - left} currency={currency} /> was already refunded
          </>
        )}
        . <MoneyText amount={left} currency={currency} /> is left.
      </Text>
      <Radio.Group label="Amount to refund" {...form.getInputProps('part')}>
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={`Full amount, ${formatMoney(left, currency)}`} data-autofocus />
          <Radio value="part" label="A part" />
        </Stack>
      </Radio.Group>
      {part === 'part' && (
        <MoneyInput
          label="Amount"
          description={`In ${currency.toUpperCase()}, with tax.`}
          required
          currency={currency}
          {...form.getInputProps('amount')}
        />
      )}
      <Textarea
        label="Reason"
        description="The credit note shows this to the customer."
        required
        maxLength={500}
        {...form.getInputProps('reason')}
      />
      <Text>The payment provider refunds the card or account that paid. You cannot undo a refund.</Text>
    </ResourceFormBody>
  );
}

function problemOfPart(text: string, currency: string, left: number): string | null {
  const problem = problemOfMoney(text, currency);
  if (problem !== null) return problem;
  return (parseMoney(text, currency) ?? 0) > left ? `At most ${formatMoney(left, currency)} is left.` : null;
}

interface RefundResultProps {
  readonly invoice: AdminInvoice;
  readonly note: CreditNote;
  readonly onClose: () => void;
}

function RefundResult({ invoice, note, onClose }: RefundResultProps) {
  return (
    <Stack gap="md">
      <Text role="status">
        {formatMoney(note.amount, invoice.currency)} was refunded. The customer receives credit note{' '}
        <b>{note.number}</b> by mail.
      </Text>
      <Group justify="flex-end" gap="xs">
        <SaveFileButton file={{ invoiceId: invoice.id, creditNoteId: note.id, format: 'pdf' }} number={note.number} />
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
