import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { invoiceQuery } from '../../api/billing.ts';
import { toProblem } from '../../api/problem.ts';
import { DetailHeader } from '../../components/DetailHeader.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page } from '../../components/Page.tsx';
import { useSurface } from '../../shell/surface-context.ts';
import { InvoiceDocument } from './InvoiceDocument.tsx';
import { InvoiceFiles } from './InvoiceFiles.tsx';
import { InvoiceStatusBadge } from './InvoiceStatusBadge.tsx';

/** One invoice of the tenant as a page. */
export function InvoiceScreen({ id }: { readonly id: string }): ReactNode {
  const surface = useSurface();
  const { data: invoice, error, refetch } = useQuery(invoiceQuery(surface, id));
  const parent = { label: 'Billing', to: '/billing' };
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
