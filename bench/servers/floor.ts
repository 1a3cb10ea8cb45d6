/** A bare Fastify route with the body and the response of `validate`: no hooks, no log, no database. */
import { fastify } from 'fastify';
import { readSetup } from '../processes.ts';
import { declaredSchemas, simplifiedSchemas, validatePath } from './validate-route.ts';

const { answer, simplified } = await readSetup<{ answer: object; simplified: boolean }>();
const app = fastify();
app.post(validatePath, { schema: simplified ? simplifiedSchemas : declaredSchemas }, () => answer);
console.error(`Serving on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
