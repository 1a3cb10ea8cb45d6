import { Table, Text } from '@mantine/core';
import type { InvoiceLine } from '../../api/billing.ts';
import { MoneyText } from '../../components/Money.tsx';
import { Hint } from '../../components/Texts.tsx';
import { formatNumber } from '../../lib/text.ts';
import { formatDate } from '../../lib/time.ts';

interface InvoiceLinesProps {
  readonly caption: string;
  readonly lines: readonly InvoiceLine[];
  readonly currency: string;
  readonly totals: readonly { readonly label: string; readonly amount: number; readonly isStrong?: boolean }[];
}

/** The lines of an invoice or of a preview, with the sums below. */
export function InvoiceLines({ caption, lines, currency, totals }: InvoiceLinesProps) {
  return (
    <Table fz="md" verticalSpacing="xs" horizontalSpacing={0}>
      <caption className="visually-hidden">{caption}</caption>
      <Table.Thead className="visually-hidden">
        <Table.Tr>
          <Table.Th>Description</Table.Th>
          <Table.Th ta="right">Amount</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of an invoice never move, and may be alike.
          <Table.Tr key={index}>
            <Table.Td>
              <Text>
                {line.description}
                {line.quantity !== 1 && ` × ${formatNumber(line.quantity)}`}
              </Text>
              {line.period_starts_at !== null && (
                <Hint>
                  {line.period_ends_at === null
                    ? `From ${formatDate(line.period_starts_at)}`
                    : `${formatDate(line.period_starts_at)} – ${formatDate(line.period_ends_at)}`}
                </Hint>
              )}
            </Table.Td>
            <Table.Td ta="right" style={{ verticalAlign: 'top' }}>
              <MoneyText amount={line.amount} currency={currency} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        {totals.map(({ label, amount, isStrong = false }) => (
          <Table.Tr key={label}>
            <Table.Th fw={isStrong ? 600 : 400}>{label}</Table.Th>
            <Table.Td ta="right" fw={isStrong ? 600 : 400}>
              <MoneyText amount={amount} currency={currency} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tfoot>
    </Table>
  );
}
