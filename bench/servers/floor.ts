/**
 * A bare Fastify route with the body and the response of `validate` and the service's serialiser: no hooks, no log, no
 * database.
 */
import { fastify } from 'fastify';
import { compileSerializer } from '../../packages/server/src/http/serializer.ts';
import { readSetup } from '../processes.ts';
import { simplifiedSchemas, validatePath } from './validate-route.ts';

const { answer } = await readSetup<{ answer: object }>();
const app = fastify();
app.setSerializerCompiler(compileSerializer);
app.post(validatePath, { schema: simplifiedSchemas }, () => answer);
console.error(`Serving on ${await app.listen({ host: '127.0.0.1', port: 0 })}`);
