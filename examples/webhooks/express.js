import { expressWebhook } from '@licensing/sdk/webhooks';
import express from 'express';
import { options } from './on-event.js';

const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
const app = express();
app.disable('x-powered-by');
// Above express.json(), because the signature covers the raw body.
app.post('/webhooks/licensing', expressWebhook(options));
app.use(express.json());
app.post('/orders', (request, response) => void response.status(202).json({ received: request.body }));

const server = app.listen(Number(PORT), HOST, (error) => {
  if (error) throw error;
  const address = server.address();
  if (typeof address === 'object') console.log(`Listening on http://${HOST}:${address?.port}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
