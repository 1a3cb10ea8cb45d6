import { Table, Text } from '@mantine/core';
import type { Invoice } from '../../api/billing.ts';
import { MoneyText } from '../../components/MoneyText.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { SaveFileButton } from './SaveFileButton.tsx';

/** The credit notes of an invoice with number, date, reason and amount, and a link to the PDF of each. */
export function CreditNotesSection({ invoice }: { readonly invoice: Invoice }) {
  const { id: invoiceId, credit_notes, currency } = invoice;
  return (
    <Section title="Credit notes" description="What was paid back. The invoice itself does not change.">
      <Table fz="md" verticalSpacing="xs" horizontalSpacing={0}>
        <caption className="visually-hidden">Credit notes of the invoice</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Number</Table.Th>
            <Table.Th visibleFrom="sm">Date</Table.Th>
            <Table.Th visibleFrom="sm">Reason</Table.Th>
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
                <Text size="sm" c="dimmed" hiddenFrom="sm" component="div">
                  <TimeText value={note.created_at} format="date" /> {note.reason}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <TimeText value={note.created_at} format="date" />
              </Table.Td>
              <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
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
