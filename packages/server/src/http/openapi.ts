import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { ErrorEnvelope } from './envelope.ts';
import { documentOperations } from './openapi-operations.ts';
import { takesNothing } from './strict-requests.ts';

const tags = [
  ['Identity', 'Log in and out, and who is logged in.'],
  ['Integration', 'What shipped software calls with an API key.'],
  ['Products', 'What a tenant sells.'],
  ['Policies', 'License templates of a product.'],
  ['Licenses', 'Licenses and their state.'],
  ['Activations', 'Machines that use a license.'],
  ['Entitlements', 'What policies and licenses grant.'],
  ['Usage', 'What licenses consume of metered entitlements.'],
  ['API keys', 'Credentials of the Integration API.'],
  ['Webhooks', 'Where events are sent, and how their delivery goes.'],
  ['Settings', 'What a tenant decides for itself.'],
  ['Members', 'The people of a tenant and their roles.'],
  ['Notifications', 'What the people of a tenant should know.'],
  ['Developer tools', 'What helps to integrate.'],
  ['Audit', 'Who changed what.'],
  ['Plans', 'What anybody can choose from.'],
  ['Billing', 'What a tenant pays, for its owners.'],
  ['Catalog', 'What the platform sells.'],
  ['Subscriptions', 'What tenants bought, and their invoices, seen by operators.'],
  ['Billing administration', 'What operators do about payments.'],
  ['Tenants', 'The customers of this service, seen by its operators.'],
  ['Admins', 'The operators of this service.'],
  ['Feature flags', 'Flags of flagd, and what they are for a tenant (OpenFeature Remote Evaluation Protocol).'],
  ['Operations', 'Health of the service.'],
].map(([name, description]) => ({ name: name ?? '', description: description ?? '' }));

const failureContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
const responseHeaders = {
  'X-Request-ID': { $ref: '#/components/headers/RequestId' },
  'X-Service-API-Version': { $ref: '#/components/headers/ApiVersion' },
};

const components = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'A token of `POST /api/auth/login`.' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of a tenant.' },
  },
  headers: {
    RequestId: {
      description: "The caller's X-Request-ID when it has the allowed form, else a new UUID.",
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    },
    ApiVersion: { description: 'The version of the API.', schema: { type: 'string', const: '1' } },
    IdempotencyReplayed: {
      description: 'Sent when the answer is that of an earlier request with the same `Idempotency-Key`.',
      schema: { type: 'string', const: 'true' },
    },
  },
  responses: {
    ClientError: {
      description: 'The request cannot be served as it is: `error.code` says why, `error.message` what to do.',
      headers: responseHeaders,
      content: failureContent,
    },
    ServerError: {
      description: 'The service failed or is unavailable: send the request again later.',
      headers: responseHeaders,
      content: failureContent,
    },
  },
} as const;

/** Leaves out what `refuseUnknownFields` added: an empty body or query string is not worth documenting. */
function withoutEmptyParts(schema: FastifySchema): FastifySchema {
  const { body, querystring, ...rest } = schema;
  return {
    ...rest,
    ...(body === undefined || takesNothing(body) ? {} : { body }),
    ...(querystring === undefined || takesNothing(querystring) ? {} : { querystring }),
  };
}

const keyHeader = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      pattern: '^[!-~]{1,255}$',
      description:
        'Makes the creation safe to send again for 24 h. The same key and request answer the first outcome again, with ' +
        '`Idempotency-Replayed: true` and null in place of secrets. 422 `IDEMPOTENCY.KEY_REUSED` with another request; ' +
        '409 `IDEMPOTENCY.IN_PROGRESS` while the first runs. After a failure the key is free again.',
    },
  },
};

/** Only documented here: its form is checked where it is read, for 400 like any header of a wrong form. */
function withKeyHeader(schema: FastifySchema, idempotent: true | undefined): FastifySchema {
  return idempotent ? { ...schema, headers: keyHeader } : schema;
}

/** No script, style or picture from anywhere else; Swagger UI sets styles from its script. */
const docsPolicy = {
  'default-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'style-src': ["'self'", "'unsafe-inline'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/**
 * Registers the OpenAPI 3.1 document of every route that is registered after it: `GET /openapi.json`, and pages to
 * read it under `/docs`, from local files only. `app.swagger()` answers the document once the app is ready.
 */
export async function registerOpenApi(app: FastifyInstance, { version }: { readonly version: string }): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Licensing service',
        description: 'Licenses, activations and API keys of many tenants, each in a database of its own.',
        version,
      },
      servers: [{ url: '/', description: 'This service.' }],
      tags,
      components: {
        ...structuredClone(components),
        // The plugin rewrites schemas in place; TypeBox's own stays untouched.
        schemas: { Error: JSON.parse(JSON.stringify(ErrorEnvelope)) },
      },
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({
      schema: schema ? withKeyHeader(withoutEmptyParts(schema), route.config?.idempotent) : { hide: true },
      url,
    }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('The document must be OpenAPI 3.');
      return documentOperations(document.openapiObject, responseHeaders);
    },
  });
  app.get('/openapi.json', { schema: { hide: true }, handler: () => app.swagger() });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Licensing service API' },
    staticCSP: docsPolicy,
    uiConfig: { deepLinking: true, docExpansion: 'none' },
  });
}
