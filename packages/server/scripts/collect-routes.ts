import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { declaredFailures, type FailingRoute } from '../src/http/declared-failures.ts';
import { ErrorEnvelope } from '../src/http/envelope.ts';
import { type DocumentParts, publishedDocument } from '../src/http/openapi-document.ts';
import { documentOperations, failureResponses, withFailures } from '../src/http/openapi-operations.ts';
import { builtAddress } from '../src/http/openapi-route.ts';
import { tagGroups, tags } from '../src/http/openapi-tags.ts';
import { requireOperationIds } from '../src/http/operation-ids.ts';
import { rolesFor } from '../src/http/routes/admin-roles.ts';
import { takesNothing } from '../src/http/strict-requests.ts';
import type { JsonObject } from '../src/lib/json-object.ts';

const responseHeaders = {
  'X-Request-ID': { $ref: '#/components/headers/RequestId' },
  'X-Service-API-Version': { $ref: '#/components/headers/ApiVersion' },
};

const components = {
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A token of `login`, or an access token of a tenant. A user who belongs to several tenants selects one with the header `X-Tenant-ID` on the ' +
        "routes of a tenant, its billing and OFREP: the tenant's id.",
    },
    metricsToken: { type: 'http', scheme: 'bearer', description: 'The `METRICS_TOKEN` of the service, if it is set.' },
    holder: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token of a login to the portal: of one tenant and one email address.',
    },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of a tenant.' },
  },
  headers: {
    RequestId: {
      description: "The caller's X-Request-ID if it has the allowed form, otherwise a new UUID.",
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    },
    ApiVersion: { description: 'The version of the API.', schema: { type: 'string', const: '1' } },
    IdempotencyReplayed: {
      description: 'Present if the response repeats that of an earlier request with the same `Idempotency-Key`.',
      schema: { type: 'string', const: 'true' },
    },
  },
} as const;

/** Removes the empty bodies and query strings that `refuseUnknownFields` added. */
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
        'Makes the request safe to repeat for 24 h. The same key and request return the first response again, with ' +
        '`Idempotency-Replayed: true` and null in place of secrets. A different request fails with 422 ' +
        '`IDEMPOTENCY.KEY_REUSED`; a repetition while the first request runs fails with 409 ' +
        '`IDEMPOTENCY.IN_PROGRESS`. After a failure the key can be used again.',
    },
  },
};

/** Documents the header. The handler checks its form, because a malformed header is a 400 rather than a 422. */
function withKeyHeader(schema: FastifySchema, idempotent: true | undefined): FastifySchema {
  return idempotent ? { ...schema, headers: keyHeader } : schema;
}

/** Returns the schema of a route as the document presents it. */
function documented(schema: FastifySchema, route: FailingRoute): FastifySchema {
  const withHeader = withKeyHeader(withoutEmptyParts(schema), route.config?.idempotent);
  const security = (route.config?.guard?.credentials ?? []).map((scheme) => ({ [scheme]: [] }));
  return { ...withFailures(withAdminRoles(withHeader, route), declaredFailures({ ...route, schema })), security };
}

/** Adds to the description of an admin's route which roles may call it. */
function withAdminRoles(schema: FastifySchema, { method, config }: FailingRoute): FastifySchema {
  if (config?.adminArea === undefined) return schema;
  const roles = rolesFor(config.adminArea, [method].flat()[0] ?? 'GET');
  const sentence = `Admin roles: ${roles.map((role) => `\`${role}\``).join(', ')}.`;
  return { ...schema, description: [schema.description, sentence].filter(Boolean).join(' ') };
}

/**
 * Collects every route that is registered after this call. The returned function makes the OpenAPI 3.1 document of them
 * once the app is ready, and `app.swagger()` the same with every schema in its place. Only `npm run openapi` and tests
 * call it: the service sends the committed document.
 */
export async function collectRoutes(
  app: FastifyInstance,
  { version, ...parts }: { readonly version: string } & DocumentParts,
): Promise<() => JsonObject> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Licensing service',
        description:
          'Licenses, activations and API keys of many tenants, each in its own database. A response is an envelope: ' +
          '`data` and `meta`, or `error` and `meta`. Every response has the headers `X-Request-ID` and ' +
          '`X-Service-API-Version`. Later versions add fields, verdict codes and error codes without ' +
          'notice: ignore fields and accept codes that you do not know.',
        version,
        license: { name: 'MIT', identifier: 'MIT' },
        contact: { name: 'The operator of this service', url: builtAddress },
      },
      servers: [{ url: builtAddress, description: 'This service, at its `PUBLIC_URL`.' }],
      tags: [...tags],
      components: {
        ...structuredClone(components),
        responses: failureResponses(responseHeaders),
        // A copy, because the plugin modifies schemas in place.
        schemas: { Error: JSON.parse(JSON.stringify(ErrorEnvelope)) },
      },
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({
      schema: schema ? documented(schema, { ...route, url }) : { hide: true },
      url,
    }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('The document is not OpenAPI 3.');
      return documentOperations(document.openapiObject);
    },
  });
  requireOperationIds(app);
  return () => publishedDocument({ 'x-tagGroups': tagGroups, ...app.swagger() }, parts);
}
