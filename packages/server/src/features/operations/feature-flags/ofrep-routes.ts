import { namesTag } from '../../../http/headers.ts';
import { type CallerRoute, callerRoute } from '../../../http/routes/caller-route.ts';
import type { Services } from '../../../services.ts';
import { contextOf, createFlagEvaluator } from './evaluation-service.ts';
import { allResponse, EvaluationRequest, FlagParams, oneResponse } from './ofrep-schemas.ts';

const tags = ['Feature flags'] as const;

/**
 * Registers the routes of the OpenFeature Remote Evaluation Protocol (OFREP), version 0.3, without the API's envelope.
 */
export function ofrepRoutes(services: Services): CallerRoute[] {
  const evaluator = createFlagEvaluator(services);
  return [
    callerRoute('POST', '/:key', {
      operationId: 'evaluateFeatureFlag',
      summary: 'Evaluate a feature flag',
      tags,
      description: 'Follows the OpenFeature Remote Evaluation Protocol. The response has no envelope.',
      params: FlagParams,
      body: EvaluationRequest,
      response: oneResponse,
      async handler({ request, reply, record }) {
        const evaluation = await evaluator.evaluate(request.params.key, contextOf(request.body, record));
        if ('errorCode' in evaluation) reply.status(400);
        return evaluation;
      },
    }),
    callerRoute('POST', '', {
      operationId: 'evaluateFeatureFlags',
      summary: 'Evaluate every feature flag',
      tags,
      description:
        'Follows the OpenFeature Remote Evaluation Protocol. The response has no envelope. Send the `ETag` of a ' +
        'response in `If-None-Match` to get 304 while the flags and the context stay the same.',
      body: EvaluationRequest,
      response: allResponse,
      async handler({ request, reply, record }) {
        const { json, tag } = await evaluator.evaluateAll(contextOf(request.body, record));
        // The tag is for the client only; responses are `no-store`, so that no intermediary caches them.
        reply.header('etag', tag);
        if (namesTag(request.headers['if-none-match'], tag)) return reply.status(304).send();
        return reply.type('application/json; charset=utf-8').send(json);
      },
    }),
  ];
}
