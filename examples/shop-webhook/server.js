// A shop's backend. The shop (here Stripe) reports a paid checkout; a license is created for it, exactly once. The page
// that the buyer sees after paying shows the key: success_url is https://…/thanks?session_id={CHECKOUT_SESSION_ID}.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { LicensingError, ManagementClient } from '@licensing/sdk';

const toleranceSeconds = 300;
const maxBodyBytes = 1_000_000;
const { PORT = '8080', HOST = '127.0.0.1' } = process.env;
const webhookSecret = required('STRIPE_WEBHOOK_SECRET');
const policyId = required('LICENSING_POLICY_ID');
const management = new ManagementClient({
  baseUrl: required('LICENSING_URL'),
  accessToken: required('LICENSING_TOKEN'),
});

/** @param {string} name */
function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`Set the environment variable ${name}.`);
  return value;
}

/** Returns whether the shop signed a raw body: `t=SECONDS,v1=HEX[,v1=HEX]`. @param {Buffer} body @param {string} header */
function isSigned(body, header) {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? '';
  // An old message was recorded by somebody and sent again.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) return false;
  const expected = createHmac('sha256', webhookSecret).update(`${timestamp}.`).update(body).digest();
  const signatures = parts.filter(([name]) => name === 'v1').map(([, hex = '']) => Buffer.from(hex, 'hex'));
  return signatures.some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

/** Returns the license of a checkout. @param {string} sessionId */
async function licenseOf(sessionId) {
  const { data } = await management.licenses.list({ holderReference: sessionId, limit: 1 }).page();
  return data[0];
}

/**
 * Creates the license of a paid checkout. A repeated delivery finds the license; of two deliveries at the same time, the
 * idempotency key lets only one create it.
 * @param {{ id: string, customer_details?: { email?: string | null, name?: string | null } | null }} session
 */
async function fulfil({ id, customer_details: buyer }) {
  if (await licenseOf(id)) return;
  const holder = { email: buyer?.email, name: buyer?.name, reference: id };
  const license = await management.licenses.create({ policyId, holder }, { idempotencyKey: `checkout-${id}` });
  console.log(`created license ${license.id} for checkout ${id}`);
}

/** Returns the raw body, which the signature covers. @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @param {import('node:http').IncomingMessage} request */
async function receive(request) {
  const body = await bodyOf(request);
  if (!isSigned(body, String(request.headers['stripe-signature'])))
    return { status: 400, text: 'The signature is wrong.' };
  const event = JSON.parse(body.toString());
  const isCheckout = /^checkout\.session\.(completed|async_payment_succeeded)$/.test(event.type);
  // A bank transfer completes the checkout days before it pays.
  if (isCheckout && event.data.object.payment_status === 'paid') await fulfil(event.data.object);
  return { status: 200, text: '' };
}

/** @param {URL} url */
async function thank(url) {
  // Only the buyer knows the id of the checkout.
  const sessionId = url.searchParams.get('session_id') ?? '';
  const license = sessionId.startsWith('cs_') ? await licenseOf(sessionId) : undefined;
  if (license === undefined)
    return { status: 404, text: 'Your payment is being confirmed. Reload this page in a minute.' };
  return { status: 200, text: `Thank you! Your license key: ${license.key}` };
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://shop');
  let answer = { status: 404, text: 'Nothing is here.' };
  try {
    if (request.method === 'POST' && url.pathname === '/webhooks/stripe') answer = await receive(request);
    if (request.method === 'GET' && url.pathname === '/thanks') answer = await thank(url);
  } catch (error) {
    // The shop repeats a delivery that failed, for days.
    answer = { status: 503, text: 'Try again later.' };
    const { code = 'UNKNOWN', requestId = '' } = error instanceof LicensingError ? error : {};
    console.error(`failed: ${code} ${error instanceof Error ? error.message : error} ${requestId}`);
  }
  response.writeHead(answer.status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(answer.text);
});

server.listen(Number(PORT), HOST, () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`Listening on http://${HOST}:${address?.port}`);
});
// Requests that run end first.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
