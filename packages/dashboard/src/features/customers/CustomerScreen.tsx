import { Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type CustomerDetails,
  customerQuery,
  customersKey,
  eraseCustomer,
  exportCustomer,
  updateCustomer,
} from '../../api/customers.ts';
import { mailsQuery } from '../../api/holder-mails.ts';
import { licensesKey } from '../../api/licenses.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { ExpiryText } from '../../components/ExpiryText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { FormDrawer } from '../../components/FormDrawer.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { ResourceFormBody } from '../../components/ResourceFormBody.tsx';
import { Section } from '../../components/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Mono } from '../../components/Texts.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useAction } from '../../components/use-action.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';
import { Download, Eraser, KeyRound, Pencil } from '../../icons/icons.gen.ts';
import { listOf } from '../../lib/list-of.ts';
import { saveFile } from '../../lib/save-file.ts';
import { count, formatNumber, truncateMiddle } from '../../lib/text.ts';
import { useOfferActions } from '../../shell/palette.ts';
import { pathOn, SurfaceLink, useSurfaceNavigate } from '../../shell/SurfaceLink.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { useFilters } from '../../shell/use-filters.ts';
import { allows } from '../../surfaces.ts';
import { HolderMailTable } from '../holder-mails/HolderMailTable.tsx';
import { DevicesOfCustomer } from './DevicesOfCustomer.tsx';
import { NotesOnCustomer } from './NotesOnCustomer.tsx';
import { customerSearch } from './search.ts';

const parent = { label: 'Customers', to: '/customers' };

/** One customer with its licenses. */
export default function CustomerScreen({ email }: { readonly email: string }) {
  const { data, error, refetch } = useQuery(customerQuery(useSurface(), email));
  if (data !== undefined) return <CustomerPage customer={data} />;
  return <UnloadedPage title="Customer" parent={parent} error={error} refetch={refetch} skeleton={[140, 260]} />;
}

function CustomerPage({ customer }: { readonly customer: CustomerDetails }) {
  const surface = useSurface();
  const client = useQueryClient();
  const navigate = useSurfaceNavigate();
  const [{ panel, cursor }, change] = useFilters(customerSearch);
  const mayUpdate = allows(surface, 'customers', 'update');
  const edit = () => void change({ panel: 'edit' });
  const close = () => void change({ panel: undefined });
  const refresh = () =>
    Promise.all(
      [customersKey(surface), licensesKey(surface)].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  return (
    <Page
      title={customer.name ?? customer.email}
      parent={parent}
      description={customer.name === null ? undefined : customer.email}
      actions={<CustomerActions customer={customer} onEdit={edit} />}
    >
      <CustomerFacts customer={customer} />
      <LicensesOfCustomer customer={customer} />
      <DevicesOfCustomer customer={customer} />
      <NotesOnCustomer email={customer.email} cursor={cursor} />
      <MailsToCustomer customer={customer} />
      <FormDrawer title="Edit customer" isOpen={mayUpdate && panel === 'edit'} onClose={close}>
        <CustomerForm
          customer={customer}
          onSaved={async ({ email }) => {
            await refresh();
            await navigate(`/customers/${encodeURIComponent(email)}`, { replace: true });
          }}
        />
      </FormDrawer>
    </Page>
  );
}

function CustomerActions({ customer, onEdit }: { readonly customer: CustomerDetails; readonly onEdit: () => void }) {
  const surface = useSurface();
  const navigate = useSurfaceNavigate();
  const [isErasing, setErasing] = useState(false);
  const { email } = customer;
  const exported = useAction({
    run: async () => {
      const text = JSON.stringify(await exportCustomer(surface, email), null, 2);
      saveFile(new Blob([text], { type: 'application/json' }), `customer-${email}.json`);
    },
    invalidates: [],
  });
  const mayUpdate = allows(surface, 'customers', 'update');
  const save = () => exported.mutate();
  useOfferActions([
    { label: 'Export personal data', icon: Download, run: save },
    mayUpdate && { label: 'Edit customer', icon: Pencil, run: onEdit },
    mayUpdate && { label: 'Erase customer', icon: Eraser, run: () => setErasing(true) },
  ]);
  return (
    <>
      <ActionButton
        icon={Download}
        label="Export personal data"
        variant="default"
        loading={exported.isPending}
        onClick={save}
      />
      {mayUpdate && (
        <ActionButton icon={Eraser} label="Erase customer" variant="default" onClick={() => setErasing(true)} />
      )}
      {mayUpdate && <ActionButton icon={Pencil} label="Edit customer" onClick={onEdit} />}
      <ConfirmDialog
        title="Erase customer"
        typedName={email}
        isOpen={isErasing}
        onClose={() => setErasing(false)}
        onConfirm={async () => {
          await eraseCustomer(surface, email);
          await navigate('/customers');
        }}
        invalidates={[customersKey(surface)]}
      >
        The name, the address and the reference disappear from {count(customer.licenses_count, 'license')}, and the
        names and IP addresses of the devices, also from the audit log and from stored events and mails. The notes and
        the checks of the devices are deleted. The licenses keep working. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}

function CustomerFacts({ customer }: { readonly customer: CustomerDetails }) {
  return (
    <Section title="Details">
      <Facts
        items={[
          { label: 'Name', value: customer.name ?? '—' },
          { label: 'Email', value: customer.email },
          {
            label: 'Active licenses',
            value: `${formatNumber(customer.active_licenses_count)} of ${formatNumber(customer.licenses_count)}`,
          },
          { label: 'Devices', value: formatNumber(customer.active_activations_count) },
          {
            label: 'Last validated',
            value: <TimeText value={customer.last_validated_at} format="relative" fallback="Never" />,
          },
          { label: 'Last mail', value: <TimeText value={customer.last_mail_at} format="relative" fallback="Never" /> },
        ]}
      />
    </Section>
  );
}

type LicenseRow = CustomerDetails['licenses'][number];

const licenseColumns: readonly Column<LicenseRow>[] = [
  {
    header: 'Key',
    cell: ({ key }) => <Mono>{truncateMiddle(key, 20)}</Mono>,
  },
  { header: 'Product', cell: (row) => row.product_name ?? '—' },
  { header: 'Policy', cell: (row) => row.policy_name ?? '—', isSecondary: true },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: 'Expires at',
    cell: (license) => <ExpiryText license={license} />,
    isSecondary: true,
  },
];

function LicensesOfCustomer({ customer }: { readonly customer: CustomerDetails }) {
  const surface = useSurface();
  const { licenses, licenses_count: all, email } = customer;
  return (
    <Section
      title="Licenses"
      {...(all > licenses.length && { description: `The ${licenses.length} newest of ${formatNumber(all)} licenses.` })}
      actions={
        <SurfaceLink to="/licenses" search={{ q: email }} size="sm">
          All licenses of this customer
        </SurfaceLink>
      }
    >
      <DataTable
        caption="Licenses of this customer"
        columns={licenseColumns}
        query={listOf(licenses)}
        rowPath={({ id }) => pathOn(surface, `/licenses/${id}`)}
        empty={{
          icon: KeyRound,
          title: 'No licenses',
          description: 'Every license was deleted.',
        }}
      />
    </Section>
  );
}

function MailsToCustomer({ customer: { email } }: { readonly customer: CustomerDetails }) {
  const surface = useSurface();
  const query = useQuery(mailsQuery(surface, { recipient: email, limit: 10 }));
  const page = query.data && { ...query.data, meta: { next_cursor: null } };
  return (
    <Section
      title="Mails"
      description="The 10 newest mails."
      actions={
        <SurfaceLink to="/holder-mails" search={{ recipient: email }} size="sm">
          All mails to this customer
        </SurfaceLink>
      }
    >
      <HolderMailTable
        caption="Mails to this customer"
        query={{ ...query, data: page }}
        withLicense
        empty="The customer has received no mail."
      />
    </Section>
  );
}

interface CustomerFormProps {
  readonly customer: CustomerDetails;
  readonly onSaved: (customer: CustomerDetails) => unknown;
}

function CustomerForm({ customer, onSaved }: CustomerFormProps) {
  const surface = useSurface();
  const resource = useResourceForm({
    initialValues: { name: customer.name ?? '', email: customer.email },
    submit: ({ name, email }) =>
      updateCustomer(surface, customer.email, {
        ...(name.trim() !== (customer.name ?? '') && { name: name.trim() === '' ? null : name.trim() }),
        ...(email.trim() !== customer.email && { email: email.trim() }),
      }),
    onSaved,
  });
  const { form } = resource;
  return (
    <ResourceFormBody resource={resource} submitLabel="Save changes">
      <Text>
        Changes {count(customer.licenses_count, 'license')}. If other licenses have the new address, they become
        licenses of this customer.
      </Text>
      <TextInput label="Name" maxLength={200} {...form.getInputProps('name')} />
      <TextInput label="Email" type="email" required maxLength={254} {...form.getInputProps('email')} />
    </ResourceFormBody>
  );
}
