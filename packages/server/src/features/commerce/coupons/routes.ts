import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { presentCoupon } from './coupon.ts';
import { listCoupons } from './queries.ts';
import { Coupon, CouponsQuery, CreateCoupon } from './schemas.ts';
import { archiveCoupon, createCoupon, readCoupon } from './service.ts';

const tags = ['Catalog'] as const;
const collection = '/catalog/coupons';
const one = `${collection}/:id`;

/** Registers the routes on which admins manage coupons. */
export function couponRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', collection, {
      operationId: 'adminListCoupons',
      summary: 'List coupons',
      tags,
      querystring: CouponsQuery,
      response: { 200: PageEnvelope(Coupon) },
      async handler({ request }) {
        const page = toPage(await listCoupons(services.platform, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentCoupon) });
      },
    }),
    adminRoute('POST', collection, {
      operationId: 'adminCreateCoupon',
      summary: 'Create a coupon',
      tags,
      description:
        'Give either `percent_off` or `amount_off` with `currency`. A coupon never changes. While `synced_at` is null, ' +
        'the payment provider does not have it yet; the service repeats the creation there.',
      errors: ['BILLING.NO_PROVIDER', 'BILLING.REFUSED', 'COUPON.CODE_TAKEN'],
      body: CreateCoupon,
      response: { 201: Envelope(Coupon) },
      async handler({ request, reply, actor }) {
        const row = await createCoupon(services, actor, request.body);
        reply.status(201);
        return success(request, presentCoupon(row));
      },
    }),
    adminRoute('GET', one, {
      operationId: 'adminGetCoupon',
      summary: 'Read a coupon and how often it was redeemed',
      tags,
      params: IdParams,
      response: { 200: Envelope(Coupon) },
      async handler({ request }) {
        return success(request, presentCoupon(await readCoupon(services, request.params.id)));
      },
    }),
    adminRoute('DELETE', one, {
      operationId: 'adminArchiveCoupon',
      summary: 'Archive a coupon',
      tags,
      description:
        'It can no longer be redeemed, and its code stays taken. Discounts that exist stay. A repeated request has no ' +
        'further effect.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, actor }) {
        await archiveCoupon(services, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
