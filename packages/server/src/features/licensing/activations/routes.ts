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
import { IdParams, NoFields } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { KeyParams } from '../licenses/schemas.ts';
import { toStoredKey } from '../licenses/service.ts';
import { presentActivation, presentActivationDetails } from './activation.ts';
import { named } from './components.ts';
import { deactivateByVendor, deactivateOwn } from './deactivation-service.ts';
import { findActivationDetails, listActivations } from './queries.ts';
import {
  Activation,
  ActivationDetails,
  ActivationQuery,
  ActivationsQuery,
  CreateActivation,
  KeyAndIdParams,
  LicensedDevices,
  ListLicensedDevices,
} from './schemas.ts';
import {
  type ActivationResult,
  activate,
  activateByVendor,
  activationNotFound,
  heartbeat,
  listLicensedDevices,
} from './service.ts';

const tags = ['Activations'] as const;

function presenterFor({ include }: { readonly include?: 'details' | undefined }) {
  return include === 'details' ? presentActivationDetails : presentActivation;
}

/** Routes by which the vendor reads and releases activations. Devices create them through the Integration API. */
export function activationRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listActivations',
      summary: 'List activations',
      tags,
      querystring: ActivationsQuery,
      response: { 200: PageEnvelope(ActivationDetails) },
      async handler({ request, tenant }) {
        const now = services.clock.now();
        const { query } = request;
        const q = query.q === undefined ? undefined : await toStoredKey(tenant.db, query.q);
        const filters = { ...query, ...(q !== undefined && { q }) };
        const page = toPage(await listActivations(tenant.db, filters, now), query.limit);
        return successPage(request, { ...page, rows: page.rows.map((row) => presenterFor(request.query)(row, now)) });
      },
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getActivation',
      summary: 'Read an activation',
      tags,
      errors: ['ACTIVATION.NOT_FOUND'],
      params: IdParams,
      querystring: ActivationQuery,
      response: { 200: Envelope(ActivationDetails) },
      async handler({ request, tenant }) {
        const row = await findActivationDetails(tenant.db, request.params.id);
        if (row === undefined) throw activationNotFound();
        return success(request, presenterFor(request.query)(row, services.clock.now()));
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'releaseActivation',
      summary: 'Deactivate a device',
      tags,
      errors: ['ACTIVATION.NOT_FOUND'],
      description:
        'Frees the seat; the record stays. Does not count against `max_deactivations`. A repeated request has the ' +
        'same response and no further effect.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deactivateByVendor(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}

const activationErrors = [
  'LICENSE.NOT_FOUND',
  'LICENSE.REVOKED',
  'LICENSE.SUSPENDED',
  'LICENSE.NOT_STARTED',
  'LICENSE.EXPIRED',
  'ACTIVATION.LIMIT_REACHED',
  'PLAN.LIMIT_REACHED',
] as const;

/** Returns the route by which the vendor activates a device, such as one without a network. */
export function vendorActivationRoute(services: Services): TenantRoute {
  return creatingRoute(services, '/:id/activations', {
    operationId: 'activateDevice',
    summary: 'Activate a device by the id of the license',
    tags,
    errors: activationErrors,
    description:
      'Does what `POST /integration/licenses/{key}/activations` does, for a device that cannot ask by itself: one ' +
      'without a network, before its offline certificate is issued.',
    params: IdParams,
    body: CreateActivation,
    response: { 200: Envelope(Activation), 201: Envelope(Activation) },
    async create({ request, tenant, actor }) {
      const activated = await activateByVendor(services, tenant, actor, request.params.id, named(request.body));
      if (activated.created) services.activity.count(tenant.id, 'activations');
      return activated;
    },
    answer: answerOf(services),
  });
}

/** Returns the function that answers an activation. */
function answerOf({ clock }: Services) {
  return ({ row, created }: ActivationResult) => ({
    status: created ? 201 : 200,
    data: presentActivation(row, clock.now()),
  });
}

const integrationTags = ['Integration'] as const;
const scope = 'activations:write';

/** Routes by which a vendor's application activates the device that it runs on, renews the lease, and deactivates. */
export function integrationActivationRoutes(services: Services): TenantRoute[] {
  return [
    creatingRoute(services, '/licenses/:key/activations', {
      scope,
      operationId: 'activateLicense',
      summary: 'Activate a device',
      tags: integrationTags,
      errors: activationErrors,
      description:
        'Responds with 201 for a new activation, and with 200 and the existing activation when the ' +
        'device is already active. Responds with 422 `ACTIVATION.LIMIT_REACHED` when every seat is taken, and ' +
        'with 422 and the code of the verdict when the license is not usable.',
      params: KeyParams,
      body: CreateActivation,
      response: { 200: Envelope(Activation), 201: Envelope(Activation) },
      async create({ request, tenant, actor }) {
        const activated = await activate(services, tenant, actor, request.params.key, named(request.body));
        if (activated.created) services.activity.count(tenant.id, 'activations');
        return activated;
      },
      answer: answerOf(services),
    }),
    tenantRoute('POST', '/licenses/:key/activations/list', {
      scope,
      readsOnly: true,
      operationId: 'listLicenseActivations',
      summary: 'List the devices of a license',
      tags: integrationTags,
      errors: ['LICENSE.NOT_FOUND'],
      description:
        'Lists the devices that hold a seat, so that a user who finds every seat taken can release one with ' +
        '`deactivate`. Released devices and those whose lease has ended hold no seat. Names are masked, because they ' +
        'can be personal data of other users of the license. Works in every state of the license.',
      params: KeyParams,
      body: ListLicensedDevices,
      response: { 200: Envelope(LicensedDevices) },
      async handler({ request, tenant, actor }) {
        const { params, body } = request;
        return success(request, await listLicensedDevices(services, tenant, actor, params.key, body));
      },
    }),
    tenantRoute('POST', '/licenses/:key/activations/:id/heartbeat', {
      scope,
      operationId: 'heartbeatActivation',
      summary: 'Renew the lease of an activation',
      tags: integrationTags,
      errors: ['LICENSE.NOT_FOUND', 'ACTIVATION.NOT_FOUND'],
      description:
        'Responds with 404 when the lease has expired or the device was deactivated. Activate the device again then.',
      params: KeyAndIdParams,
      body: NoFields,
      response: { 200: Envelope(Activation) },
      async handler({ request, tenant, actor }) {
        const row = await heartbeat(services, tenant, actor, request.params.key, request.params.id);
        return success(request, presentActivation(row, services.clock.now()));
      },
    }),
    tenantRoute('POST', '/licenses/:key/activations/:id/deactivate', {
      scope,
      operationId: 'deactivateActivation',
      summary: 'Deactivate a device of the license',
      tags: integrationTags,
      errors: ['LICENSE.NOT_FOUND', 'ACTIVATION.NOT_FOUND', 'ACTIVATION.DEACTIVATION_LIMIT_REACHED'],
      description:
        'Frees the seat. Counts against `max_deactivations` of the policy, unless more devices are active than limit and ' +
        'overage admit: these can always be released. A repeated request has the same response and counts nothing.',
      params: KeyAndIdParams,
      body: NoFields,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deactivateOwn(services, tenant, actor, request.params.key, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}
