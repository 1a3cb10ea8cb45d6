/** A bare Fastify route with the body and the response of OFREP's bulk evaluation: no hooks, no log, no evaluation. */
import { fastify } from 'fastify';
import {
  allResponse,
  EvaluationRequest,
} from '../../packages/server/src/features/operations/feature-flags/ofrep-schemas.ts';
import { readSetup } from '../processes.ts';

const { answer, path } = await readSetup<{ answer: object; path: string }>();
const app = fastify();
app.post(path, { schema: { body: EvaluationRequest, response: { 200: allResponse[200] } } }, () => answer);
console.error(`Serving on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
