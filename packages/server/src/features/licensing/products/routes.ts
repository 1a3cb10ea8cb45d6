import { findRow } from '../../../db/rows.ts';
import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { archiveRoutes } from '../policies/archiving.ts';
import { presentProduct } from './product.ts';
import { listProducts, lockProduct, updateProductRow } from './queries.ts';
import { CreateProduct, Product, ProductsQuery, UpdateProduct } from './schemas.ts';
import { createProduct, deleteProduct, productNotFound, updateProduct } from './service.ts';

const tags = ['Products'] as const;

/** Registers the CRUD routes of products, the software that a vendor licenses. */
export function productRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listProducts',
      summary: 'List products',
      tags,
      querystring: ProductsQuery,
      response: { 200: PageEnvelope(Product) },
      async handler({ request, tenant }) {
        const page = toPage(await listProducts(tenant.db, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentProduct) });
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createProduct',
      summary: 'Create a product',
      tags,
      errors: ['PRODUCT.CODE_TAKEN', 'PLAN.LIMIT_REACHED'],
      body: CreateProduct,
      response: { 201: Envelope(Product) },
      create: ({ request, tenant, actor }) => createProduct(services, tenant, actor, request.body),
      answer: (row) => ({ status: 201, data: presentProduct(row) }),
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getProduct',
      summary: 'Read a product',
      tags,
      params: IdParams,
      response: { 200: Envelope(Product) },
      async handler({ request, tenant }) {
        const row = orThrow(await findRow(tenant.db.query, 'products', request.params.id), productNotFound);
        return success(request, presentProduct(row));
      },
    }),
    tenantRoute('PUT', '/:id', {
      operationId: 'updateProduct',
      summary: 'Change a product',
      tags,
      errors: ['PRODUCT.CODE_TAKEN'],
      params: IdParams,
      body: UpdateProduct,
      response: { 200: Envelope(Product) },
      async handler({ request, tenant, actor }) {
        const row = await updateProduct(services, tenant, actor, request.params.id, request.body);
        return success(request, presentProduct(row));
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'deleteProduct',
      summary: 'Delete a product',
      tags,
      errors: ['PRODUCT.IN_USE'],
      description: 'Responds with 409 `PRODUCT.IN_USE` while the product has policies or releases.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deleteProduct(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
    ...archiveRoutes(services, {
      name: 'Product',
      tag: tags[0],
      view: Product,
      descriptions: {
        archive: 'No new licenses of the product are issued, under any of its policies. Its licenses stay as they are.',
        unarchive: 'Licenses of the product can be issued again.',
      },
      lock: lockProduct,
      update: updateProductRow,
      present: presentProduct,
      notFound: productNotFound,
    }),
  ];
}
