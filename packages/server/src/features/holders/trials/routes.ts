import { Envelope, success } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { presentLicense } from '../../licensing/licenses/license.ts';
import { License } from '../../licensing/licenses/schemas.ts';
import { preferredLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import { allowTrial } from './allowance-service.ts';
import { convertTrial } from './conversion-service.ts';
import { limitConfirmations } from './limits.ts';
import { AllowedTrial, AllowTrial, ConfirmTrial, ConvertLicense, PendingTrial, StartTrial, Trial } from './schemas.ts';
import { confirmTrial, presentTrial, startTrial } from './service.ts';

const tags = ['Integration'] as const;
const scope = 'trials:create';

/** Routes by which an application starts the trial of its user, without a license key. */
export function trialRoutes(services: Services): TenantRoute[] {
  return [
    tenantRoute('POST', '/trials', {
      scope,
      operationId: 'startTrial',
      summary: 'Start a trial without a key',
      tags,
      errors: [
        'PRODUCT.NOT_FOUND',
        'TRIAL.NOT_OFFERED',
        'TRIAL.EMAIL_REQUIRED',
        'TRIAL.LIMIT_REACHED',
        'PLAN.LIMIT_REACHED',
      ],
      description:
        'Issues a license of the `trial_policy_id` of the product and activates the device, with 201. A device and an ' +
        'email address have one trial of a product: a repeated request has the same license, with 200, also after ' +
        'it ended or was deleted; the vendor allows another with `allowTrial`. With 202 the address has to be ' +
        'confirmed first: a mail contains the code for `confirmTrial`.',
      body: StartTrial,
      response: { 200: Envelope(Trial), 201: Envelope(Trial), 202: Envelope(PendingTrial) },
      async handler({ request, reply, tenant, actor }) {
        const language = preferredLanguage(request.headers['accept-language']);
        const outcome = await startTrial(services, tenant, actor, request.body, language);
        if ('pending' in outcome) {
          reply.status(202);
          return success(request, outcome.pending);
        }
        if (outcome.isNew) reply.status(201);
        return success(request, presentTrial(outcome, services.clock.now()));
      },
    }),
    tenantRoute('POST', '/trials/confirm', {
      scope,
      operationId: 'confirmTrial',
      summary: 'Confirm the address of a trial',
      tags,
      errors: ['TRIAL.CODE_INVALID', 'TRIAL.NOT_OFFERED', 'PLAN.LIMIT_REACHED'],
      description:
        'Starts the trial of the device that asked for it. An address that had its trial before gets the same license ' +
        'again. A repeated request has the same license until the code expires. 10 attempts in 10 minutes per client.',
      body: ConfirmTrial,
      response: { 200: Envelope(Trial), 201: Envelope(Trial) },
      async handler({ request, reply, tenant, actor }) {
        await limitConfirmations(services, tenant, actor);
        const language = preferredLanguage(request.headers['accept-language']);
        const trial = await confirmTrial(services, tenant, actor, request.body.code, language);
        if (trial.isNew) reply.status(201);
        return success(request, presentTrial(trial, services.clock.now()));
      },
    }),
  ];
}

/** The route by which the vendor turns a trial license into a bought one. */
export function convertLicenseRoute(services: Services): TenantRoute {
  return creatingRoute(services, '/:id/convert', {
    operationId: 'convertLicense',
    summary: 'Convert a trial',
    tags: ['Licenses'],
    errors: ['LICENSE.NOT_FOUND', 'LICENSE.TRANSITION_INVALID'],
    description:
      'Gives a trial license the policy that was bought. Key and devices stay, so the application continues without ' +
      'a new key. The term of the policy starts now.',
    params: IdParams,
    body: ConvertLicense,
    response: { 200: Envelope(License) },
    create: ({ request, tenant, actor }) =>
      convertTrial(services, tenant, actor, request.params.id, request.body.policy_id),
    answer: (row) => ({
      status: 200,
      data: presentLicense(row, services.clock.now(), services.validationTimes),
    }),
  });
}

/** The route by which the vendor lets a device or an address have another trial. */
export function allowTrialRoute(services: Services): TenantRoute {
  return tenantRoute('POST', '/:id/allow-trial', {
    operationId: 'allowTrial',
    summary: 'Allow another trial',
    tags: ['Products'],
    description:
      'Forgets the trial that a device or an address had, so that its devices and its address may start another one. The ' +
      'license of the former trial stays. A repeated request changes nothing.',
    params: IdParams,
    body: AllowTrial,
    response: { 200: Envelope(AllowedTrial) },
    async handler({ request, tenant, actor }) {
      const { params, body } = request;
      return success(request, { forgotten: await allowTrial(services, tenant, actor, params.id, body) });
    },
  });
}
