import { Button, Text } from '@mantine/core';
import { ExternalLink } from 'lucide-react';
import { type BillingDetails, openPortal } from '../../api/billing.ts';
import { Facts } from '../../components/Facts.tsx';
import { Section } from '../../components/Section.tsx';
import { showProblem, useAction } from '../../components/use-action.ts';
import { useFilters } from '../../shell/use-filters.ts';
import type { Surface } from '../../surfaces.ts';
import { addressLines } from '../invoices/address.ts';
import { billingSearch } from './search.ts';

interface DetailsSectionProps {
  readonly details: BillingDetails | null;
  readonly surface: Surface;
}

/** The recipient of invoices, and the way to the cards at the payment provider. */
export function DetailsSection({ details, surface }: DetailsSectionProps) {
  const [, change] = useFilters(billingSearch);
  const portal = useAction({ run: () => openPortal(surface), invalidates: [] });
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
      description="They appear on future invoices; invoices that were sent do not change."
      actions={
        <>
          <Button
            variant="default"
            rightSection={<ExternalLink size={14} aria-hidden="true" />}
            loading={portal.isPending}
            onClick={() =>
              portal.mutate(undefined, { onSuccess: (url) => window.location.assign(url), onError: showProblem })
            }
          >
            Manage payment method
          </Button>
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
          { label: 'Tax id', value: tax_id ?? '—' },
        ]}
      />
    </Section>
  );
}
