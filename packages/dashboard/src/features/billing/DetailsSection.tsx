import { Button, Text } from '@mantine/core';
import type { BillingDetails } from '../../api/billing.ts';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { useFilters } from '../../shell/use-filters.ts';
import type { Surface } from '../../surfaces.ts';
import { addressLines } from '../invoices/address.ts';
import { PortalButton } from './PortalButton.tsx';
import { billingSearch } from './search.ts';

interface DetailsSectionProps {
  readonly details: BillingDetails | null;
  readonly surface: Surface;
}

/** The recipient of invoices, and a link to the cards at the payment provider. */
export function DetailsSection({ details, surface }: DetailsSectionProps) {
  const [, change] = useFilters(billingSearch);
  if (details === null) {
    return (
      <Section title="Billing details">
        <Text size="md" c="dimmed">
          The address and the card are asked for with the first payment.
        </Text>
      </Section>
    );
  }
  const { name, email, address, tax_id } = details;
  return (
    <Section
      title="Billing details"
      description="They appear on future invoices, and the country and the VAT id decide the tax. Invoices that were sent do not change."
      actions={
        <>
          <PortalButton surface={surface} label="Manage payment method" />
          <Button variant="default" onClick={() => void change({ panel: 'details' })}>
            Edit billing details
          </Button>
        </>
      }
    >
      <Facts
        cols={4}
        items={[
          { label: 'Name', value: name },
          { label: 'Invoices go to', value: email },
          {
            label: 'Address',
            value: address === null ? '—' : addressLines(address).map((line) => <div key={line}>{line}</div>),
          },
          { label: 'VAT or tax id', value: tax_id ?? '—' },
        ]}
      />
    </Section>
  );
}
