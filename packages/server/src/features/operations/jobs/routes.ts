import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import type { Services } from '../../../services.ts';
import { JobParams, JobsQuery, JobView } from './schemas.ts';
import { pageOfDeadJobs, readJob, retryJob } from './service.ts';

const tags = ['Jobs'] as const;
const params = JobParams;
const oneJob = { 200: Envelope(JobView) };

/** Registers the routes with which admins see and retry the background jobs that the service gave up on. */
export function jobsRoutes(services: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/jobs', {
      operationId: 'adminListJobs',
      summary: 'List the jobs that the service gave up on',
      tags,
      description: 'Jobs of the platform and of all tenants that failed repeatedly and no longer run.',
      querystring: JobsQuery,
      response: { 200: PageEnvelope(JobView) },
      handler: async ({ request }) => successPage(request, await pageOfDeadJobs(services, request.query)),
    }),
    adminRoute('GET', '/jobs/:id', {
      operationId: 'adminGetJob',
      summary: 'Read a job',
      tags,
      params,
      response: oneJob,
      handler: async ({ request }) => success(request, await readJob(services, request.params.id)),
    }),
    adminRoute('POST', '/jobs/:id/retry', {
      operationId: 'adminRetryJob',
      summary: 'Retry a job',
      tags,
      description:
        'Makes a `dead` job due now, with its attempts counted anew. A job with another status does not change. First ' +
        'correct the cause, which `last_error` shows.',
      params,
      response: oneJob,
      async handler({ request, actor }) {
        await retryJob(services, actor, request.params.id);
        return success(request, await readJob(services, request.params.id));
      },
    }),
  ];
}
