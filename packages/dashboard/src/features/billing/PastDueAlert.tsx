import { Alert, Button, Stack, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { BillingOverview, Subscription } from '../../api/billing.ts';
import { MoneyText } from '../../components/MoneyText.tsx';
import { TimeText } from '../../components/TimeText.tsx';

interface PastDueAlertProps {
  readonly pastDue: BillingOverview['past_due'];
  readonly subscription: Subscription | null;
}

/** Explains a failed payment: what failed, what still works and until when, and how to pay. */
export function PastDueAlert({ pastDue, subscription }: PastDueAlertProps) {
  if (pastDue === null) {
    return subscription?.status === 'incomplete' ? <IncompleteAlert /> : null;
  }
  const { amount_due, currency, since, grace_ends_at, payment_url, subscription_status } = pastDue;
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<TriangleAlert size={18} aria-hidden="true" />}
      title={subscription_status === 'unpaid' ? 'Your subscription is unpaid' : 'Your last payment failed'}
    >
      <Stack gap="sm" align="flex-start" c="var(--mantine-color-text)">
        <Text size="md" maw={720}>
          {amount_due !== null && currency !== null && (
            <>
              <b>
                <MoneyText amount={amount_due} currency={currency} />
              </b>{' '}
              could not be collected
              {since !== null && (
                <>
                  {' '}
                  on <TimeText value={since} format="date" />
                </>
              )}
              .{' '}
            </>
          )}
          {grace_ends_at !== null && (
            <>
              Everything keeps working until{' '}
              <b>
                <TimeText value={grace_ends_at} />
              </b>
              . Then the tenant is suspended: your customers' licenses are no longer validated until the invoice is
              paid.
            </>
          )}
        </Text>
        <Text size="md" maw={720}>
          We try the card again on some of the next days, and send a mail each time. You can also pay now, with this or
          another card.
        </Text>
        {payment_url !== null && (
          <Button component="a" href={payment_url} color="red">
            Pay now
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function IncompleteAlert() {
  return (
    <Alert role="alert" color="yellow" icon={<TriangleAlert size={18} aria-hidden="true" />}>
      <Text size="md" c="var(--mantine-color-text)">
        The first payment has not arrived yet. The plan starts when it does; some payment methods take days.
      </Text>
    </Alert>
  );
}
