import { createFileRoute } from '@tanstack/react-router';
import { CouponScreen } from '../../../features/coupons/CouponScreen.tsx';

export const Route = createFileRoute('/admin/_platform/catalog/coupons/$couponId')({
  component: () => <CouponScreen id={Route.useParams().couponId} />,
});
