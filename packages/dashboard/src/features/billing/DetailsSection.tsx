import { Button, Select, type SelectProps, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type BillingDetails, billingKey, changeBillingDetails } from '../../api/billing.ts';
import { Facts } from '../../components/Facts.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { countryOptions } from '../../lib/countries.ts';
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
        <Text c="dimmed">You enter your address and card with your first payment.</Text>
      </Section>
    );
  }
  const { name, email, address, tax_id } = details;
  return (
    <Section
      title="Billing details"
      description="These details appear on future invoices. The country and the VAT ID determine the tax. Invoices that were already sent do not change."
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
          { label: 'Invoices are sent to', value: email },
          {
            label: 'Address',
            value: address === null ? '—' : addressLines(address).map((line) => <div key={line}>{line}</div>),
          },
          { label: 'VAT or tax ID', value: tax_id ?? '—' },
        ]}
      />
    </Section>
  );
}

interface DetailsPanelProps {
  readonly details: BillingDetails | null;
  readonly surface: Surface;
}

/** The form for the recipient of invoices. */
export function DetailsPanel({ details, surface }: DetailsPanelProps) {
  const [{ panel }, change] = useFilters(billingSearch);
  const close = () => void change({ panel: undefined });
  return (
    <FormDrawer title="Edit billing details" isOpen={panel === 'details' && details !== null} onClose={close}>
      {details !== null && <DetailsForm details={details} surface={surface} />}
    </FormDrawer>
  );
}

interface DetailsFormProps {
  readonly details: BillingDetails;
  readonly surface: Surface;
}

const orNull = (text: string) => text.trim() || null;

function DetailsForm({ details, surface }: DetailsFormProps) {
  const { name, email, address, tax_id } = details;
  const resource = useResourceForm({
    initialValues: {
      name,
      email,
      tax_id: tax_id ?? '',
      has_address: address !== null,
      line1: address?.line1 ?? '',
      line2: address?.line2 ?? '',
      city: address?.city ?? '',
      postal_code: address?.postal_code ?? '',
      state: address?.state ?? '',
      country: address?.country ?? null,
    },
    fieldNames: Object.fromEntries(
      ['line1', 'line2', 'city', 'postal_code', 'state', 'country'].map((field) => [`address.${field}`, field]),
    ),
    validate: {
      line1: (value, { has_address }) => (has_address && value.trim() === '' ? 'Enter the street and number.' : null),
      city: (value, { has_address }) => (has_address && value.trim() === '' ? 'Enter the city.' : null),
      country: (value, { has_address }) => (has_address && !value ? 'Choose the country.' : null),
    },
    submit: (values) =>
      changeBillingDetails(surface, {
        name: values.name.trim(),
        email: values.email.trim(),
        tax_id: orNull(values.tax_id),
        address: values.has_address
          ? {
              line1: values.line1.trim(),
              line2: orNull(values.line2),
              city: values.city.trim(),
              postal_code: orNull(values.postal_code),
              state: orNull(values.state),
              country: values.country ?? '',
            }
          : null,
      }),
    invalidates: [billingKey(surface)],
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Save">
      <TextInput
        label="Name"
        description="The company or person that invoices are addressed to."
        required
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Email"
        type="email"
        description="We send invoices and reminders to this address."
        required
        {...form.getInputProps('email')}
      />
      <TextInput
        label="VAT or tax ID"
        description="Include the country code, for example DE123456789. With it, a business in another EU country pays no VAT."
        {...form.getInputProps('tax_id')}
      />
      <Switch label="Show address on invoices" {...form.getInputProps('has_address', { type: 'checkbox' })} />
      {form.values.has_address && (
        <Stack gap="sm">
          <TextInput label="Street and number" required autoComplete="address-line1" {...form.getInputProps('line1')} />
          <TextInput label="Second line" autoComplete="address-line2" {...form.getInputProps('line2')} />
          <SimpleGrid cols={2} spacing="sm">
            <TextInput label="Postal code" autoComplete="postal-code" {...form.getInputProps('postal_code')} />
            <TextInput label="City" required autoComplete="address-level2" {...form.getInputProps('city')} />
            <TextInput label="State" autoComplete="address-level1" {...form.getInputProps('state')} />
            <CountrySelect label="Country" required {...form.getInputProps('country')} />
          </SimpleGrid>
        </Stack>
      )}
    </ResourceFormBody>
  );
}

const options = countryOptions();

/** A field for a country; its value is the ISO code. */
function CountrySelect(props: Omit<SelectProps, 'data'>) {
  return (
    <Select
      data={options}
      searchable
      nothingFoundMessage="No country has this name."
      autoComplete="country"
      maxDropdownHeight={260}
      {...props}
    />
  );
}
