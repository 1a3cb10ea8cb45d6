import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { archiveCoupon, type Coupon, commerceKey, couponQuery } from '../../api/commerce.ts';
import { ConfirmButton } from '../../components/ConfirmDialog.tsx';
import { CopyableText } from '../../components/CopyableText.tsx';
import { Facts } from '../../components/Facts.tsx';
import { Page, UnloadedPage } from '../../components/Page.tsx';
import { Section } from '../../components/Section.tsx';
import { TimeText } from '../../components/TimeText.tsx';
import { useWritesPlatform } from '../../shell/PlatformArea.tsx';
import { CouponStatus, durationText, redemptionsText, valueText } from './coupon-terms.tsx';

/** One coupon: its terms and how often it was redeemed. */
export default function CouponScreen({ couponId: id }: { readonly couponId: string }): ReactNode {
  const { data: coupon, error, refetch } = useQuery(couponQuery(id));
  const mayWrite = useWritesPlatform();
  const parent = { label: 'Catalog', to: '/catalog', search: { tab: 'coupons' } };
  if (coupon === undefined) {
    return <UnloadedPage title="Coupon" parent={parent} error={error} refetch={refetch} skeleton={240} />;
  }
  return (
    <Page
      title={coupon.code}
      badges={<CouponStatus coupon={coupon} />}
      parent={parent}
      description={coupon.name === coupon.code ? undefined : coupon.name}
      actions={mayWrite && !coupon.archived && <ArchiveButton coupon={coupon} />}
    >
      <Section
        title="Terms"
        description="A coupon cannot be changed, so that everyone who redeems it gets the same discount."
      >
        <Facts items={termsOf(coupon)} />
      </Section>
    </Page>
  );
}

function termsOf(coupon: Coupon) {
  return [
    { label: 'Code', value: <CopyableText value={coupon.code} label="code" maxLength={50} /> },
    { label: 'Discount', value: valueText(coupon) },
    { label: 'Applies to', value: durationText(coupon) },
    { label: 'Redeemed', value: redemptionsText(coupon) },
    { label: 'Expires at', value: <TimeText value={coupon.expires_at} fallback="Never" /> },
    { label: 'Created', value: <TimeText value={coupon.created_at} /> },
    { label: 'Name on invoices', value: coupon.name },
    {
      label: 'Read from the payment provider',
      value: (
        <TimeText value={coupon.synced_at} format="relative" fallback="The provider does not have the coupon yet" />
      ),
    },
  ];
}

function ArchiveButton({ coupon: { id, code } }: { readonly coupon: Coupon }) {
  return (
    <ConfirmButton
      button={{ variant: 'default' }}
      title="Archive coupon"
      onConfirm={() => archiveCoupon(id)}
      invalidates={[commerceKey]}
    >
      Customers can no longer redeem <b>{code}</b>. Subscriptions that have its discount keep it. You cannot use the
      code again, and you cannot undo this.
    </ConfirmButton>
  );
}
