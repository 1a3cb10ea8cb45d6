import { Anchor, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { adminInvoiceQuery } from '../../api/commerce.ts';
import { toProblem } from '../../api/problem.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { words } from '../../lib/text.ts';
import { PathLink } from '../../shell/PathLink.tsx';
import { useAdminRole } from '../../shell/PlatformArea.tsx';
import { allowsBillingWrites } from '../../surfaces.ts';
import { InvoiceActions } from './InvoiceActions.tsx';
import { InvoiceDocument } from './InvoiceDocument.tsx';
import { InvoiceFiles } from './InvoiceFiles.tsx';
import { InvoiceStatusBadge } from './InvoiceStatusBadge.tsx';

/** One invoice of any tenant, with the actions on its payment. */
export function AdminInvoiceScreen({ id }: { readonly id: string }): ReactNode {
  const mayWrite = allowsBillingWrites(useAdminRole());
  const { data: invoice, error, refetch } = useQuery(adminInvoiceQuery(id));
  const parent = { label: 'Invoices', to: '/invoices' };
  if (invoice === undefined) {
    return (
      <Page title="Invoice" parent={parent}>
        {error === null ? (
          <Skeleton h={400} />
        ) : (
          <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  const title = invoice.number === null ? 'Draft invoice' : `Invoice ${invoice.number}`;
  return (
    <Page
      title={title}
      heading={<DetailHeader name={title} badges={<InvoiceStatusBadge invoice={invoice} />} />}
      parent={parent}
      actions={
        <>
          <InvoiceFiles invoice={invoice} />
          {mayWrite && <InvoiceActions invoice={invoice} name={title} />}
        </>
      }
    >
      {!mayWrite && (
        <Text size="sm" c="dimmed">
          Changing, sending and refunding an invoice need the role billing admin or super admin.
        </Text>
      )}
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
                'None: a single invoice'
              ) : (
                <Anchor component={PathLink} to={`/admin/subscriptions/${invoice.subscription_id}`}>
                  Open
                </Anchor>
              ),
          },
          {
            label: `Id at ${words(invoice.provider)}`,
            value: <CopyableText value={invoice.provider_invoice_id} label="provider id" maxLength={24} />,
          },
        ]}
      />
    </Page>
  );
}
