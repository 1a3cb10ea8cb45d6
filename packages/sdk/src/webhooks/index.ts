export { type ExpressRequest, type ExpressResponse, expressWebhook } from './express.ts';
export { type FastifyAnswer, type FastifyMessage, type FastifyScope, fastifyWebhook } from './fastify.ts';
export { type HonoContext, honoWebhook, webhookHandler } from './fetch.ts';
export type { WebhookOptions } from './receive.ts';
