import type { TSchema } from 'typebox';
import {
  CountedPageEnvelope,
  DeletedEnvelope,
  Envelope,
  success,
  successCountedPage,
  successDeleted,
} from '../../../http/envelope.ts';
import {
  type RequestSchemas,
  type TenantContext,
  type TenantRoute,
  tenantRoute,
} from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { orThrow, validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { answerOnce, creatingRoute, idempotencyKeyOf } from '../../tenant-core/idempotency/creating-route.ts';
import { countResources } from '../../tenant-core/plan-limits/service.ts';
import { uniqueColumns } from './columns.ts';
import { LicenseDetails } from './details-schemas.ts';
import { exportLicensesRoute } from './export/routes.ts';
import { licenseImportRoutes } from './import/routes.ts';
import { presentLicense, presentLicenseDetails } from './license.ts';
import type { Duration } from './license-term.ts';
import { previewRenewal, renewLicense, rotateLicenseKey, transitionLicense } from './lifecycle-service.ts';
import { type CountedLicense, findLicense, findLicenseDetails, listLicenseDetails } from './queries.ts';
import {
  ActionFields,
  type ActionInput,
  CreateLicense,
  License,
  LicenseQuery,
  LicensesQuery,
  RenewalFields,
  RevocationFields,
  TransitionFields,
  UpdateLicense,
} from './schemas.ts';
import { createLicense, deleteLicense, licenseNotFound, updateLicense } from './service.ts';

const tags = ['Licenses'] as const;
/** A change does not set the key. */
const takenByChange = uniqueColumns.flatMap(({ name, takenCode }) => (name === 'key' ? [] : [takenCode]));
const oneLicense = { 200: Envelope(License) } as const;

/** Registers the routes of licenses: CRUD, actions, import and export. */
export function licenseRoutes(services: Services): TenantRoute[] {
  return [
    ...resourceRoutes(services),
    ...actionRoutes(services),
    renewRoute(services),
    ...licenseImportRoutes(services),
    exportLicensesRoute(services),
  ];
}

function present(services: Services, row: CountedLicense): License {
  return presentLicense(row, services.clock.now(), services.validationTimes);
}

function resourceRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '', {
      operationId: 'listLicenses',
      summary: 'List licenses',
      tags,
      querystring: LicensesQuery,
      response: { 200: CountedPageEnvelope(LicenseDetails) },
      async handler({ request, tenant }) {
        const now = services.clock.now();
        const page = await listLicenseDetails(tenant.db, request.query, now);
        const presentRow = request.query.include === 'details' ? presentLicenseDetails : presentLicense;
        const rows = page.rows.map((row) => presentRow(row, now, services.validationTimes));
        const { limit: _limit, cursor: _cursor, sort: _sort, include: _include, ...filters } = request.query;
        const total = Object.keys(filters).length === 0 ? await countResources(tenant.db, 'licenses') : null;
        return successCountedPage(request, { ...page, rows }, total);
      },
    }),
    creatingRoute(services, '', {
      operationId: 'createLicense',
      summary: 'Issue a license',
      tags,
      errors: [
        ...uniqueColumns.map(({ takenCode }) => takenCode),
        'PLAN.LIMIT_REACHED',
        'POLICY.ARCHIVED',
        'PRODUCT.ARCHIVED',
      ],
      description: 'Without a `key`, the service generates one. The policy sets the dates that the body leaves out.',
      body: CreateLicense,
      response: { 201: Envelope(License) },
      create: ({ request, tenant, actor }) => createLicense(services, tenant, actor, request.body),
      answer: (row) => ({ status: 201, data: present(services, row) }),
    }),
    tenantRoute('GET', '/:id', {
      operationId: 'getLicense',
      summary: 'Read a license',
      tags,
      errors: ['LICENSE.NOT_FOUND'],
      params: IdParams,
      querystring: LicenseQuery,
      response: { 200: Envelope(LicenseDetails) },
      async handler({ request, tenant }) {
        const now = services.clock.now();
        const { params, query } = request;
        if (query.include === 'details') {
          const detailed = orThrow(await findLicenseDetails(tenant.db.query, params.id, now), licenseNotFound);
          return success(request, presentLicenseDetails(detailed, now, services.validationTimes));
        }
        const row = orThrow(await findLicense(tenant.db.query, params.id, now), licenseNotFound);
        return success(request, presentLicense(row, now, services.validationTimes));
      },
    }),
    tenantRoute('PUT', '/:id', {
      operationId: 'updateLicense',
      summary: 'Change a license',
      tags,
      errors: ['LICENSE.NOT_FOUND', ...takenByChange],
      description: 'Absent fields do not change. A change never makes a suspended or revoked license usable again.',
      params: IdParams,
      body: UpdateLicense,
      response: oneLicense,
      async handler({ request, tenant, actor }) {
        return success(
          request,
          present(services, await updateLicense(services, tenant, actor, request.params.id, request.body)),
        );
      },
    }),
    tenantRoute('DELETE', '/:id', {
      operationId: 'deleteLicense',
      summary: 'Delete a license',
      tags,
      errors: ['LICENSE.NOT_FOUND'],
      description:
        'Releases the activations of the license. Its key can be used again; a new license with it inherits nothing.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, tenant, actor }) {
        await deleteLicense(services, tenant, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}

type Action = (
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: ActionInput,
) => Promise<CountedLicense>;

interface ActionRoute {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly act: Action;
  readonly body: TSchema;
  /** True for an action that a repeated request performs again, unless both requests have one `Idempotency-Key`. */
  readonly actsAgain?: true;
}

const repeatable = 'A repeated request has the same response and changes nothing.';

const actions: Readonly<Record<string, ActionRoute>> = {
  suspend: {
    operationId: 'suspendLicense',
    summary: 'Suspend a license',
    description: `Every verdict is negative until the license is reinstated. ${repeatable}`,
    body: TransitionFields,
    act: (services, tenant, actor, id, input) => transitionLicense(services, tenant, actor, id, 'suspend', input),
  },
  reinstate: {
    operationId: 'reinstateLicense',
    summary: 'Reinstate a suspended license',
    description: repeatable,
    body: TransitionFields,
    act: (services, tenant, actor, id, input) => transitionLicense(services, tenant, actor, id, 'reinstate', input),
  },
  revoke: {
    operationId: 'revokeLicense',
    summary: 'Revoke a license permanently',
    description: repeatable,
    body: RevocationFields,
    act: (services, tenant, actor, id, input) => transitionLicense(services, tenant, actor, id, 'revoke', input),
  },
  'rotate-key': {
    operationId: 'rotateLicenseKey',
    summary: 'Replace the key of a license',
    description: 'Generates a new key. The old key is unknown immediately. Activations are kept.',
    body: ActionFields,
    act: (services, tenant, actor, id, { notify_holder }) =>
      rotateLicenseKey(services, tenant, actor, id, undefined, notify_holder),
    actsAgain: true,
  },
};

function actionRoutes(services: Services): TenantRoute[] {
  return Object.entries(actions).map(([name, { act, actsAgain = false, body, ...documentation }]) => {
    const url = `/:id/${name}`;
    const schema = {
      ...documentation,
      tags,
      errors: ['LICENSE.NOT_FOUND', 'LICENSE.TRANSITION_INVALID'],
      params: IdParams,
      body,
      response: oneLicense,
    } as const;
    const perform = ({ request, tenant, actor }: TenantContext<RequestSchemas<typeof IdParams>>) => {
      // The body may be absent.
      const input: ActionInput = request.body ?? {};
      return act(services, tenant, actor, request.params.id, input);
    };
    if (actsAgain) {
      const answer = (row: CountedLicense) => ({ status: 200, data: present(services, row) });
      return creatingRoute(services, url, { ...schema, create: perform, answer });
    }
    return tenantRoute('POST', url, {
      ...schema,
      handler: async (context) => success(context.request, present(services, await perform(context))),
    });
  });
}

function renewRoute(services: Services): TenantRoute {
  return tenantRoute('POST', '/:id/renew', {
    idempotent: true,
    operationId: 'renewLicense',
    summary: 'Renew a license',
    tags,
    errors: ['LICENSE.NOT_FOUND', 'LICENSE.TRANSITION_INVALID', 'LICENSE.RENEWAL_IN_PAST'],
    description:
      'Extends `expires_at` and `maintenance_expires_at` by the durations of the policy, or by the duration in the ' +
      "body. Months are those of the calendar in the tenant's timezone, and keep the day on which the term began: 31 " +
      'January, 28 February, 31 March. A license that would still be expired is not renewed. With ' +
      '`dry_run: true` nothing changes, and the response has the dates that a renewal would give now.',
    params: IdParams,
    body: RenewalFields,
    response: oneLicense,
    async handler(context) {
      const { request, tenant, actor } = context;
      const { id } = request.params;
      // The body may be absent.
      const body: RenewalFields = request.body ?? {};
      const { notify_holder: notifyHolder, dry_run, ...asked } = body;
      const duration = askedDuration(asked);
      if (dry_run === true)
        return success(request, present(services, await previewRenewal(services, tenant, id, duration)));
      return await answerOnce(services, context, {
        key: idempotencyKeyOf(request),
        input: { params: request.params, body: request.body },
        creation: {
          secretFields: [],
          create: (own) => renewLicense(services, own, actor, id, { notifyHolder, duration }),
          answer: (row) => ({ status: 200, data: present(services, row) }),
        },
      });
    },
  });
}

function askedDuration({ duration_days, duration_months }: RenewalFields): Duration | undefined {
  const [days, months] = [duration_days ?? null, duration_months ?? null];
  if (days === null && months === null) return undefined;
  if (days === null || months === null) return { days, months };
  throw validationError({ field: 'duration_months', message: 'Choose a length in days or in months, not both.' });
}
