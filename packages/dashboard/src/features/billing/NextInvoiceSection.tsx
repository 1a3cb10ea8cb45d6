import { Text } from '@mantine/core';
import type { BillingOverview, Subscription } from '../../api/billing.ts';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { InvoiceLines } from '../invoices/InvoiceLines.tsx';
import { previewTotals } from '../invoices/totals.ts';

/** What the next invoice contains; nothing for a tenant that pays nothing. */
export function NextInvoiceSection({ overview }: { readonly overview: BillingOverview }) {
  const { next_invoice, subscription, provider_available } = overview;
  if (subscription === null) return null;
  if (next_invoice === null) {
    return (
      <Section title="Next invoice">
        <Text size="md" c="dimmed">
          {provider_available
            ? noInvoiceText(subscription)
            : 'The payment provider cannot be reached, so the next invoice is not known now. Reload the page in a minute.'}
        </Text>
      </Section>
    );
  }
  const { at, currency, lines } = next_invoice;
  return (
    <Section
      title="Next invoice"
      description={
        <>
          On <TimeText value={at} format="date" />, as it stands now.
        </>
      }
    >
      <InvoiceLines
        caption="Lines of the next invoice"
        lines={lines}
        currency={currency}
        totals={previewTotals(next_invoice, 'Total')}
      />
    </Section>
  );
}

function noInvoiceText({ status, cancel_at_period_end, has_payment_method }: Subscription): string {
  return status === 'trialing' && !cancel_at_period_end && !has_payment_method
    ? 'None follows the trial without a payment method.'
    : 'No further invoice follows.';
}
