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
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { listCatalogProducts } from './queries.ts';
import { CatalogProduct, CatalogProductsQuery, CreateCatalogProduct, UpdateCatalogProduct } from './schemas.ts';
import { catalogProductNotFound, createCatalogProduct, deleteCatalogProduct, updateCatalogProduct } from './service.ts';

const tags = ['Catalog'] as const;
const collection = '/catalog/products';
const one = `${collection}/:id`;

/** Registers the routes on which admins manage the products of the catalog. */
export function catalogRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', collection, {
      operationId: 'adminListCatalogProducts',
      summary: 'List catalog products',
      tags,
      querystring: CatalogProductsQuery,
      response: { 200: PageEnvelope(CatalogProduct) },
      async handler({ request }) {
        const rows = await listCatalogProducts(services.platform, request.query);
        return successPage(request, toPage(rows, request.query.limit));
      },
    }),
    adminRoute('POST', collection, {
      operationId: 'adminCreateCatalogProduct',
      summary: 'Create a catalog product',
      tags,
      errors: ['CATALOG_PRODUCT.CODE_TAKEN'],
      body: CreateCatalogProduct,
      response: { 201: Envelope(CatalogProduct) },
      async handler({ request, reply, actor }) {
        const row = await createCatalogProduct(services, actor, request.body);
        reply.status(201);
        return success(request, row);
      },
    }),
    adminRoute('GET', one, {
      operationId: 'adminGetCatalogProduct',
      summary: 'Read a catalog product',
      tags,
      params: IdParams,
      response: { 200: Envelope(CatalogProduct) },
      async handler({ request }) {
        const row = await findRow(services.platform.query, 'catalog_products', request.params.id);
        if (row === undefined) throw catalogProductNotFound();
        return success(request, row);
      },
    }),
    adminRoute('PUT', one, {
      operationId: 'adminUpdateCatalogProduct',
      summary: 'Change a catalog product',
      tags,
      errors: ['CATALOG_PRODUCT.CODE_TAKEN'],
      params: IdParams,
      body: UpdateCatalogProduct,
      response: { 200: Envelope(CatalogProduct) },
      async handler({ request, actor }) {
        return success(request, await updateCatalogProduct(services, actor, request.params.id, request.body));
      },
    }),
    adminRoute('DELETE', one, {
      operationId: 'adminDeleteCatalogProduct',
      summary: 'Delete a catalog product',
      tags,
      errors: ['CATALOG_PRODUCT.IN_USE'],
      description: 'Responds with 409 `CATALOG_PRODUCT.IN_USE` while the product has plans.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, actor }) {
        await deleteCatalogProduct(services, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
