import { namesTag } from '../../../http/entity-tag.ts';
import { type CallerRoute, callerRoute } from '../../../http/routes/caller-route.ts';
import { andThen } from '../../../lib/maybe-promise.ts';
import type { Services } from '../../../services.ts';
import { contextOf } from './evaluation/context.ts';

import { failureMark } from './evaluation/flag-set.ts';
import { createFlagEvaluator } from './evaluation-service.ts';
import { allResponse, EvaluationRequest, FlagParams, oneResponse } from './ofrep-schemas.ts';

const tags = ['Feature flags'] as const;
const json = 'application/json; charset=utf-8';

/**
 * Registers the routes of the OpenFeature Remote Evaluation Protocol (OFREP), version 0.3, without the API's envelope.
 * For speed, responses are sent as JSON text, which is prepared in advance where it does not depend on the context.
 */
export function ofrepRoutes(services: Services): CallerRoute[] {
  const evaluator = createFlagEvaluator(services);
  return [
    callerRoute({
      method: 'POST',
      url: '/:key',
      schema: {
        operationId: 'evaluateFeatureFlag',
        summary: 'Evaluate a feature flag',
        tags,
        description: 'Follows the OpenFeature Remote Evaluation Protocol. The response has no envelope.',
        params: FlagParams,
        body: EvaluationRequest,
        response: oneResponse,
      },
      handler({ request, reply, caller }) {
        const context = contextOf(request.body, caller);
        const evaluated = evaluator.evaluate(request.params.key, context);
        return andThen(evaluated, (evaluation) => {
          if (evaluation.mark === failureMark) reply.status(400);
          return reply.type(json).send(evaluation.json);
        });
      },
    }),
    callerRoute({
      method: 'POST',
      url: '',
      schema: {
        operationId: 'evaluateFeatureFlags',
        summary: 'Evaluate every feature flag',
        tags,
        description:
          'Follows the OpenFeature Remote Evaluation Protocol. The response has no envelope. Send the `ETag` of a ' +
          'response in `If-None-Match` to get 304 while the flags and the context stay the same.',
        body: EvaluationRequest,
        response: allResponse,
      },
      handler({ request, reply, caller }) {
        const context = contextOf(request.body, caller);
        return andThen(evaluator.evaluateAll(context), ({ json: text, tag }) => {
          // The tag is for the client only; responses are `no-store`, so that no intermediary caches them.
          reply.header('etag', tag);
          if (namesTag(request.headers['if-none-match'], tag)) return reply.status(304).send();
          return reply.type(json).send(text);
        });
      },
    }),
  ];
}
