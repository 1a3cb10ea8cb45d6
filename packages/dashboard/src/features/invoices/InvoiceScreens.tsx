import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { invoiceQuery } from '../../api/billing.ts';
import { adminInvoiceQuery } from '../../api/commerce.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Hint } from '../../components/Texts.tsx';
import { words } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useWritesBilling } from '../../shell/PlatformArea.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { InvoiceActions } from './InvoiceActions.tsx';
import { InvoiceDocument, InvoiceStatusBadge } from './InvoiceDocument.tsx';
import { InvoiceFiles } from './InvoiceFiles.tsx';

function titleOf({ number }: { readonly number: string | null }): string {
  return number === null ? 'Draft invoice' : `Invoice ${number}`;
}

/** One invoice of the tenant as a page. */
export function InvoiceScreen({ invoiceId: id }: { readonly invoiceId: string }): ReactNode {
  const surface = useSurface();
  const { data: invoice, error, refetch } = useQuery(invoiceQuery(surface, id));
  const parent = { label: 'Billing', to: '/billing' };
  if (invoice === undefined) {
    return <UnloadedPage title="Invoice" parent={parent} error={error} refetch={refetch} skeleton={400} />;
  }
  const title = titleOf(invoice);
  return (
    <Page
      title={title}
      badges={<InvoiceStatusBadge invoice={invoice} />}
      parent={parent}
      actions={
        <>
          {invoice.payment_url !== null && (
            <Button component="a" href={invoice.payment_url} color="red">
              Pay now
            </Button>
          )}
          <InvoiceFiles invoice={invoice} isPrimary={invoice.payment_url === null} />
        </>
      }
    >
      <InvoiceDocument invoice={invoice} />
    </Page>
  );
}

/** One invoice of any tenant, with the actions on its payment. */
export function AdminInvoiceScreen({ invoiceId: id }: { readonly invoiceId: string }): ReactNode {
  const mayWrite = useWritesBilling();
  const { data: invoice, error, refetch } = useQuery(adminInvoiceQuery(id));
  const parent = { label: 'Invoices', to: '/invoices' };
  if (invoice === undefined) {
    return <UnloadedPage title="Invoice" parent={parent} error={error} refetch={refetch} skeleton={400} />;
  }
  const title = titleOf(invoice);
  return (
    <Page
      title={title}
      badges={<InvoiceStatusBadge invoice={invoice} />}
      parent={parent}
      actions={
        <>
          <InvoiceFiles invoice={invoice} />
          {mayWrite && <InvoiceActions invoice={invoice} name={title} />}
        </>
      }
    >
      {!mayWrite && <Hint>You need the role billing admin or super admin to change, send or refund an invoice.</Hint>}
      <InvoiceDocument
        invoice={invoice}
        facts={[
          {
            label: 'Tenant',
            value: (
              <Anchor component={PathLink} to={`/admin/tenants/${invoice.tenant_id}`}>
                {invoice.tenant_name}
              </Anchor>
            ),
          },
          {
            label: 'Subscription',
            value:
              invoice.subscription_id === null ? (
                'None. This is a single invoice.'
              ) : (
                <Anchor component={PathLink} to={`/admin/subscriptions/${invoice.subscription_id}`}>
                  Open
                </Anchor>
              ),
          },
          {
            label: `ID at ${words(invoice.provider)}`,
            value: <CopyableText value={invoice.provider_invoice_id} label="provider ID" maxLength={24} />,
          },
        ]}
      />
    </Page>
  );
}
