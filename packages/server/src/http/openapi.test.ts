import { pino } from 'pino';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectRoutes } from '../../scripts/collect-routes.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { declareGuard, openTenantCodes, tokenCodes } from './declared-failures.ts';
import { Envelope, PageEnvelope } from './envelope.ts';
import { healthRoutes } from './health.ts';
import { adminOperationId } from './operation-ids.ts';
import { withErrorResponses } from './routes/tenant-route.ts';
import {
  IdParams,
  Metadata,
  Name,
  Nullable,
  PageQuery,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
} from './schema.ts';
import { createHttpServer } from './server.ts';

const app = createHttpServer({
  logger: pino({ level: 'silent' }),
  metrics: createMetrics(),
  trustProxy: false,
  https: false,
});

const Product = Type.Object({ id: Uuid, name: Name, metadata: Metadata, created_at: TimestampOut });

let makeDocument: () => object;

beforeAll(async () => {
  makeDocument = await collectRoutes(app, { version: '1.0.0', enumMeanings: {}, event: {} });
  healthRoutes(app, {
    checkDatabase: async () => undefined,
    isDiskFailing: async () => false,
    isStopping: () => false,
  });
  const tags = ['Products'] as const;
  const body = strictObject({
    name: Name,
    expires_at: Type.Optional(Nullable(TimestampIn)),
    metadata: Type.Optional(Metadata),
  });
  const list = {
    summary: 'List',
    tags,
    querystring: PageQuery({ code: Type.Optional(Type.String()) }),
    response: { 200: PageEnvelope(Product) },
  };
  const create = { summary: 'Create', tags, body, response: { 201: Envelope(Product) } };
  const read = { summary: 'Read', tags, params: IdParams, response: { 200: Envelope(Product) } };
  const archive = { ...read, summary: 'Archive', body: strictObject({ reason: Type.Optional(Type.String()) }) };
  const handler = () => ({});
  for (const [prefix, idOf] of [
    ['/api/v1/tenant', (operationId: string) => operationId],
    ['/api/v1/admin/tenants/:tenantId', adminOperationId],
  ] as const) {
    const named = <Schema extends object>(operationId: string, schema: Schema) => ({
      ...schema,
      operationId: idOf(operationId),
    });
    app.register(
      (surface, _options, done) => {
        declareGuard(surface, () => ({ credentials: ['bearer'], codes: [...tokenCodes, ...openTenantCodes] }));
        surface.get('/products', { schema: withErrorResponses(named('listProducts', list)), handler });
        surface.post('/products', { schema: withErrorResponses(named('createProduct', create)), handler });
        surface.get('/products/:id', { schema: withErrorResponses(named('getProduct', read)), handler });
        surface.post('/products/:id/archive', {
          schema: withErrorResponses(named('archiveProduct', archive)),
          handler,
        });
        done();
      },
      { prefix },
    );
  }
  const key = Type.Object({ key: Type.String() });
  app.post('/api/v1/integration/licenses/:key/validate', {
    schema: withErrorResponses({
      operationId: 'validateLicense',
      summary: 'Validate',
      tags: ['Integration'] as const,
      params: key,
      response: { 200: Envelope(Product) },
    }),
    config: { guard: { credentials: ['apiKey'], codes: [] } },
    handler,
  });
  await app.ready();
});
afterAll(() => app.close());

function operation(path: string, method: string) {
  return JSON.parse(JSON.stringify(makeDocument())).paths[path][method];
}

describe('the OpenAPI document', () => {
  it('the OpenAPI document describes routes of both surfaces with their own id, security and parameters', () => {
    const tenant = operation('/api/v1/tenant/products/{id}', 'get');
    const admin = operation('/api/v1/admin/tenants/{tenantId}/products/{id}', 'get');
    expect([tenant.operationId, admin.operationId]).toEqual(['getProduct', 'adminGetTenantProduct']);
    expect([tenant.security, admin.security]).toEqual([[{ bearer: [] }], [{ bearer: [] }]]);
    expect(admin.parameters).toEqual([
      { in: 'path', name: 'tenantId', required: true, schema: { type: 'string', format: 'uuid' } },
      expect.objectContaining({ in: 'path', name: 'id', required: true }),
    ]);
  });

  it('the OpenAPI document requires an API key on the Integration API and nothing on public routes', () => {
    const validate = operation('/api/v1/integration/licenses/{key}/validate', 'post');
    expect([validate.security, validate.requestBody]).toEqual([[{ apiKey: [] }], undefined]);
    expect(operation('/health', 'get').security).toEqual([]);
  });

  it('the OpenAPI document marks the bodies that are required', () => {
    expect(operation('/api/v1/tenant/products', 'post').requestBody.required).toBe(true);
    expect(operation('/api/v1/tenant/products/{id}/archive', 'post').requestBody.required).toBe(false);
  });

  it('the OpenAPI document lists the statuses of every operation with their codes, except codes of any operation', () => {
    const { responses } = operation('/api/v1/tenant/products', 'post');
    expect(Object.keys(responses)).toEqual('201 400 401 403 408 413 415 422 500 503'.split(' '));
    expect(responses['401']).toEqual({
      $ref: '#/components/responses/Unauthorized',
      description: '`AUTH.INVALID_TOKEN`',
    });
    expect(responses['422']).toEqual({ $ref: '#/components/responses/Invalid' });
    expect(responses['503'].description).toBe('`TENANT.MOVING`, `SERVICE.UNAVAILABLE`');
  });
});
