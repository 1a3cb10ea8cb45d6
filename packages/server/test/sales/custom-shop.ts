import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { runTenantJobs } from '../jobs/job-rows.ts';
import type { TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { created, newPolicy, newProduct } from '../support/licensing-catalog.ts';

/** A connection to a hand-made shop, with the functions of that shop and of its vendor. */
export interface CustomShop {
  readonly id: string;
  readonly secret: string;
  readonly tenant: TestTenant;
  /** Sends a signed message and returns the response. `id`: that of the message. */
  send(
    message: object,
    options?: { readonly id?: string; readonly secret?: string; readonly at?: Date },
  ): Promise<Answer>;
  /** Sends a message, expects that it is accepted, and applies it. */
  tell(type: string, sale: object, at?: string): Promise<void>;
  /** Runs the background jobs that are due. */
  work(): Promise<void>;
  sales(query?: string): Promise<readonly SaleData[]>;
  events(query?: string): Promise<readonly EventData[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: the response of a route; the assertions check its shape.
type SaleData = any;
// biome-ignore lint/suspicious/noExplicitAny: the response of a route; the assertions check its shape.
type EventData = any;

/** The headers and the body of a message as the official library of Standard Webhooks signs it. */
export function signed(secret: string, message: object | string, { id = String(randomUUID()), at = new Date() } = {}) {
  const payload = typeof message === 'string' ? message : JSON.stringify(message);
  const signature = new Webhook(secret).sign(id, at, payload);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  };
  return { headers, payload };
}

/** Connects a hand-made shop to a tenant. */
export async function connectShop(app: TestApp, tenant: TestTenant, name = 'Shop'): Promise<CustomShop> {
  const { id, signing_secret: secret } = created(
    await tenant.asOwner('POST', '/connections', { provider: 'custom', name }),
  );
  const data = async (path: string) => (await tenant.asOwner('GET', `/connections/${id}${path}`)).body.data;
  const shop: CustomShop = {
    id,
    secret,
    tenant,
    send(message, { id: messageId, secret: other = secret, at } = {}) {
      const options = { ...(messageId !== undefined && { id: messageId }), ...(at !== undefined && { at }) };
      return app.request({ method: 'POST', url: `/webhooks/sales/${id}`, ...signed(other, message, options) });
    },
    async tell(type, sale, at = new Date().toISOString()) {
      const { status, text } = await shop.send({ type, at, sale });
      if (status !== 200) throw new Error(`The message was refused: ${status} ${text}`);
      await shop.work();
    },
    work: () => runTenantJobs(app),
    sales: (query = '') => data(`/sales${query}`),
    events: (query = '') => data(`/events${query}`),
  };
  return shop;
}

/** Creates a product with policies, and an offer of the connection for each: item `pro` becomes the policy `pro`. */
export async function offerItems(
  shop: Pick<CustomShop, 'id' | 'tenant'>,
  items: Readonly<Record<string, object>>,
  policyFields: object = {},
): Promise<Record<string, { readonly policyId: string; readonly productId: string; readonly offerId: string }>> {
  const product = await newProduct(shop.tenant);
  const offers: Record<string, { policyId: string; productId: string; offerId: string }> = {};
  for (const [external_id, fields] of Object.entries(items)) {
    const policy = await newPolicy(shop.tenant, { product_id: product.id, duration_days: null, ...policyFields });
    const body = { external_id, policy_id: policy.id, ...fields };
    const offer = created(await shop.tenant.asOwner('POST', `/connections/${shop.id}/offers`, body));
    offers[external_id] = { policyId: policy.id, productId: product.id, offerId: offer.id };
  }
  return offers;
}

/** Returns a license. */
export async function licenseOf(tenant: TestTenant, id: string) {
  return (await tenant.asOwner('GET', `/licenses/${id}`)).body.data;
}
