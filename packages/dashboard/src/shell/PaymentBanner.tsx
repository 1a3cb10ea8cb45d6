import { Group, Text } from '@mantine/core';
import type { TenantMembership } from '../api/me.ts';
import { TimeText } from '../components/TimeText.tsx';
import { CreditCard } from '../icons/icons.gen.ts';
import { classNames } from '../lib/class-names.ts';
import classes from './Banner.module.css';
import { SurfaceLink } from './SurfaceLink.tsx';

/** Says on every screen that a payment failed, until when everything works, and who can pay. */
export function PaymentBanner({ tenant }: { readonly tenant: TenantMembership }) {
  const { payment_due_at: dueAt, role } = tenant;
  if (dueAt === undefined) return null;
  return (
    <Group
      className={classNames(classes['banner'], classes['failed'])}
      gap="xs"
      component="aside"
      aria-label="Failed payment"
    >
      <CreditCard size={16} aria-hidden="true" style={{ flexShrink: 0 }} />
      <Text size="sm" flex="1 1 220px" component="div">
        <b>Your last payment failed.</b> Pay before <TimeText value={dueAt} />. Otherwise this tenant is suspended, and
        your customers' licenses stop working.
      </Text>
      {role === 'owner' ? (
        <SurfaceLink to="/billing" size="sm" fw={600} c="inherit" underline="always">
          Pay now
        </SurfaceLink>
      ) : (
        <Text size="sm">Ask an owner of this tenant to pay.</Text>
      )}
    </Group>
  );
}
