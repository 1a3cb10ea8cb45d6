// The same `app` runs on Deno, Bun and edge workers, which need no `serve`.
import { serve } from '@hono/node-server';
import { honoWebhook } from '@licensing/sdk/webhooks';
import { Hono } from 'hono';
import { options } from './on-event.js';

const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
const app = new Hono();
app.post('/webhooks/licensing', honoWebhook(options));
app.post('/orders', async (context) => context.json({ received: await context.req.json() }, 202));

const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: HOST }, ({ port }) => {
  console.log(`Listening on http://${HOST}:${port}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
