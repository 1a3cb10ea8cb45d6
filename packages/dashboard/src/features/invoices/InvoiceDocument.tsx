import { Alert, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Invoice } from '../../api/billing.ts';
import { Facts } from '../../components/Facts.tsx';
import { MoneyText } from '../../components/Money.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { AlertText } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { addressLines } from './address.ts';
import { SaveFileButton } from './InvoiceFiles.tsx';
import { InvoiceLines } from './InvoiceLines.tsx';
import { totalsOf } from './totals.ts';

interface InvoiceDocumentProps {
  readonly invoice: Invoice;
  /** Facts that only this page shows, after the others. */
  readonly facts?: readonly { readonly label: string; readonly value: ReactNode }[];
}

/** The content of an invoice: its dates, its recipient, its lines and its sums. */
export function InvoiceDocument({ invoice, facts = [] }: InvoiceDocumentProps) {
  const isDraft = invoice.status === 'draft';
  const { currency, customer, lines, sent_at, reminded_at } = invoice;
  return (
    <Stack gap="md">
      <StatusNote invoice={invoice} />
      <Section title="Details">
        <Facts
          items={[
            {
              label: 'Date',
              value: <TimeText value={invoice.finalized_at} format="date" fallback="Not finalized yet" />,
            },
            {
              label: 'Due at',
              value: (
                <TimeText
                  value={invoice.due_at}
                  format="date"
                  fallback={isDraft ? 'Set when it is finalized' : 'Immediately'}
                />
              ),
            },
            { label: 'Paid at', value: <TimeText value={invoice.paid_at} fallback="Not paid" /> },
            {
              label: 'Recipient',
              value:
                customer === null
                  ? '—'
                  : [customer.name, ...(customer.address === null ? [] : addressLines(customer.address))].map(
                      (line) => <div key={line}>{line}</div>,
                    ),
            },
            { label: 'Sent to', value: customer?.email ?? '—' },
            { label: 'VAT or tax ID', value: customer?.tax_id ?? '—' },
            ...(sent_at === null ? [] : [{ label: 'Sent at', value: <TimeText value={sent_at} /> }]),
            ...(reminded_at === null ? [] : [{ label: 'Reminded at', value: <TimeText value={reminded_at} /> }]),
            ...facts,
          ]}
        />
      </Section>
      <Section title="Lines">
        <InvoiceLines caption="Lines of the invoice" lines={lines} currency={currency} totals={totalsOf(invoice)} />
      </Section>
      {invoice.credit_notes.length > 0 && <CreditNotesSection invoice={invoice} />}
    </Stack>
  );
}

/** What the status means for the reader, where it is not plain. */
function StatusNote({ invoice }: { readonly invoice: Invoice }) {
  const { status, attempt_count, next_attempt_at } = invoice;
  const failed = status === 'open' && attempt_count > 0;
  const notes: Partial<Record<Invoice['status'], ReactNode>> = {
    draft:
      'This invoice is a draft. Nothing is sent or charged yet. It gets its number and due date when you finalize it.',
    open: failed ? (
      <>
        The payment failed {attempt_count === 1 ? 'once' : `${attempt_count} times`}.{' '}
        {next_attempt_at === null ? (
          'There are no further attempts.'
        ) : (
          <>
            The next attempt is on <TimeText value={next_attempt_at} />.
          </>
        )}
      </>
    ) : undefined,
    void: 'This invoice was voided. There is nothing to pay.',
    uncollectible: 'This invoice was written off. There are no further attempts to collect it.',
  };
  const note = notes[status];
  if (note === undefined) return null;
  return (
    <Alert role="status" color={failed ? 'red' : 'gray'}>
      <AlertText>{note}</AlertText>
    </Alert>
  );
}

/** The credit notes of an invoice with number, date, reason and amount, and a link to the PDF of each. */
function CreditNotesSection({ invoice }: { readonly invoice: Invoice }) {
  const { id: invoiceId, credit_notes, currency } = invoice;
  return (
    <Section title="Credit notes" description="Refunds of this invoice. The invoice itself does not change.">
      <Table fz="md" verticalSpacing="xs" horizontalSpacing={0}>
        <caption className="visually-hidden">Credit notes of the invoice</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Number</Table.Th>
            <Table.Th visibleFrom="xs">Date</Table.Th>
            <Table.Th visibleFrom="xs">Reason</Table.Th>
            <Table.Th ta="right">Amount</Table.Th>
            <Table.Th w={48}>
              <span className="visually-hidden">PDF</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {credit_notes.map((note) => (
            <Table.Tr key={note.id}>
              <Table.Td>
                <span style={{ whiteSpace: 'nowrap' }}>{note.number}</span>
                <Text size="sm" c="dimmed" hiddenFrom="xs" component="div">
                  <TimeText value={note.created_at} format="date" /> {note.reason}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="xs">
                <TimeText value={note.created_at} format="date" />
              </Table.Td>
              <Table.Td visibleFrom="xs" style={{ overflowWrap: 'anywhere' }}>
                {note.reason ?? '—'}
              </Table.Td>
              <Table.Td ta="right">
                <MoneyText amount={note.amount} currency={currency} />
                {note.tax > 0 && (
                  <Text size="sm" c="dimmed" component="div">
                    with tax of <MoneyText amount={note.tax} currency={currency} />
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right">
                <SaveFileButton
                  file={{ invoiceId, creditNoteId: note.id, format: 'pdf' }}
                  number={note.number}
                  isCompact
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

/** The status of an invoice. A paid one may have been paid back, in full or in part. */
export function InvoiceStatusBadge({ invoice }: { readonly invoice: Invoice }) {
  const { status, amount_paid, amount_refunded } = invoice;
  if (status !== 'paid' || amount_refunded === 0) return <StatusBadge status={status} />;
  const isFull = amount_refunded >= amount_paid;
  return <StatusBadge status="refunded" label={isFull ? 'Refunded' : 'Partly refunded'} tone="neutral" />;
}
