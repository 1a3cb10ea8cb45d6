// A vendor's API in the cloud, product `editor`. Each customer's request carries a license key. A verdict is asked for
// once a minute per key; a webhook ends it at once when the license changes; an outage of the service leaves it an hour.
import { LicensingClient, LicensingError, verifyVerdict } from '@licensing/sdk';
import { fastifyWebhook } from '@licensing/sdk/webhooks';
import Fastify from 'fastify';
import vendor from './vendor.json' with { type: 'json' };

const product = 'editor';
const freshMs = 60_000;
const usableMs = 3_600_000;
const maxVerdicts = 10_000;
const { LICENSING_WEBHOOK_SECRET = '', PORT = '8080', HOST = '127.0.0.1' } = process.env;

const client = new LicensingClient({ ...vendor, timeoutMs: 3000 });
/** @type {Map<string, { verdict: import('@licensing/sdk').Verdict, askedAtMs: number }>} */
const verdicts = new Map();
// The headers of a request contain its license key, so they stay out of the log.
const app = Fastify({ logger: { serializers: { req: ({ id, method, url }) => ({ id, method, url }) } } });

/** Refuses a request; `code` is for programs and `message` for people. */
class Refusal extends Error {
  /** @param {string} message @param {{ statusCode: number, code: string, cause?: unknown }} options */
  constructor(message, { statusCode, code, cause }) {
    super(message, { cause });
    this.statusCode = statusCode;
    this.code = code;
  }
}

/** Returns a verdict that the service has signed. @param {string} licenseKey @param {string} entitlement */
async function ask(licenseKey, entitlement) {
  const question = { product, entitlements: [entitlement], nonce: crypto.randomUUID() };
  const answer = await client.validate(licenseKey, { ...question, proof: true });
  const verdict = await verifyVerdict(answer, { ...vendor, ...question, licenseKey });
  if (verdict.claims === null) throw new LicensingError({ code: verdict.code, message: verdict.detail });
  return verdict;
}

/** @param {string} licenseKey @param {string} entitlement */
async function verdictOn(licenseKey, entitlement) {
  const name = `${entitlement} ${licenseKey}`;
  const known = verdicts.get(name);
  const ageMs = Date.now() - (known?.askedAtMs ?? 0);
  if (known && ageMs < freshMs) return known.verdict;
  try {
    const verdict = await ask(licenseKey, entitlement);
    const [oldest] = verdicts.keys();
    if (oldest !== undefined && verdicts.size >= maxVerdicts) verdicts.delete(oldest);
    // Keys that do not exist are not kept: there is no end of them.
    if (verdict.license !== null) verdicts.set(name, { verdict, askedAtMs: Date.now() });
    return verdict;
  } catch (error) {
    app.log.warn({ err: error }, 'the licensing service gave no answer');
    if (known && ageMs < usableMs) return known.verdict;
    throw new Refusal('Licenses cannot be checked now. Try again soon.', {
      statusCode: 503,
      code: 'LICENSE.UNKNOWN',
      cause: error,
    });
  }
}

/** @param {string} entitlement @returns {import('fastify').preHandlerAsyncHookHandler} */
function requireEntitlement(entitlement) {
  return async (request) => {
    const [, licenseKey] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (!licenseKey)
      throw new Refusal('Send your license key as a bearer token.', { statusCode: 401, code: 'LICENSE.KEY_MISSING' });
    const { valid, code, detail } = await verdictOn(licenseKey, entitlement);
    if (code === 'LICENSE.NOT_FOUND') throw new Refusal('No license has this key.', { statusCode: 401, code });
    if (code === 'ENTITLEMENT.NOT_GRANTED')
      throw new Refusal(`Your license does not include "${entitlement}".`, { statusCode: 403, code });
    if (!valid) throw new Refusal(detail, { statusCode: 403, code });
  };
}

app.setErrorHandler((error, request, reply) => {
  if (error instanceof Refusal) {
    const { statusCode, code, message } = error;
    if (statusCode === 503) reply.header('retry-after', 60);
    return reply.code(statusCode).send({ error: { code, message } });
  }
  request.log.error(error);
  return reply.code(500).send({ error: { code: 'INTERNAL.ERROR', message: `Report ${request.id} to us.` } });
});

app.get('/renders', { preHandler: requireEntitlement('preview') }, async () => ({ renders: [] }));
app.post('/renders', { preHandler: requireEntitlement('render') }, async (_request, reply) => reply.code(202).send({}));

/** A license changed: its verdicts no longer count. @param {import('@licensing/sdk').WebhookEvent} event */
function onEvent(event) {
  // The data of an event of a license is the license.
  const { id } = /** @type {{ id?: unknown }} */ (event.data);
  for (const [name, { verdict }] of verdicts) if (verdict.license?.id === id) verdicts.delete(name);
}
void app.register(fastifyWebhook({ secret: LICENSING_WEBHOOK_SECRET, onEvent }), { prefix: '/webhooks/licensing' });

await app.listen({ host: HOST, port: Number(PORT) });
// close() refuses new requests and waits for those that run.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void app.close());
