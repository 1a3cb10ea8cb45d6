import { newId } from '../../src/lib/ids.ts';
import { asUser } from '../accounts/account-data.ts';
import { type BillingData, createBillingData } from '../commerce/billing-data.ts';
import { createSignUp, startSignUp } from '../commerce/buyers.ts';
import { logInHolder, portalOf } from '../holders/portal-data.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { booleanFlag, createFlag } from '../operations/flags.ts';
import { type Account, createAdmin, createTenant, createUser, type TestTenant } from '../support/accounts.ts';
import type { Answer, TestApp } from '../support/harness.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';
import type { LiveRoute } from '../support/routes.ts';
import type { RequestContext } from './arbitrary-bodies.ts';
import { type Credential, createCredentials, isOfIdentity } from './credentials.ts';
import { createHarvest, type Harvest } from './harvest.ts';
import { linkIdentity, type Part, parts, partsOf, startAdminSession, startSession } from './world-parts.ts';

/** The tenants, people and resources that fuzzed requests use. */
export interface World {
  readonly app: TestApp;
  readonly own: TestTenant;
  readonly foreign: TestTenant;
  /** A text in many fields of each tenant that no request contains, by the tenant's id. */
  readonly markers: Readonly<Record<string, string>>;
  readonly credentials: readonly Credential[];
  readonly harvest: Harvest;
  /** Creates what a route uses anew if `markUsed` was called since, or all of it without a route. */
  refresh(route?: LiveRoute): Promise<void>;
  /** Says that requests may have deleted or ended something. */
  markUsed(): void;
  /** Returns the credential that a route is meant for, and existing values for its fields. */
  contextOf(route: LiveRoute): { readonly context: RequestContext; readonly primary: Credential };
}

interface People {
  readonly admin: Account;
  /** A tenant and an admin that can be suspended, closed and disabled, because no other route depends on them. */
  readonly victim: TestTenant;
  readonly victimAdmin: Account;
  spareToken: Account;
  /** A user without a tenant, with a started checkout of a free plan. */
  readonly buyer: Account;
}

interface Ids {
  readonly flagId: string;
  readonly checkoutId: string;
  readonly exportId: string;
  /** A session of the owner, and one of the admin, that are not used. */
  sessionId: string;
  adminSessionId: string;
  /** An identity of single sign-on of the owner. */
  identityId: string;
  readonly paymentEventId: string;
  /** The handle of the portal of the own tenant, and a session of the holder of the current license. */
  readonly handle: string;
  holderToken: string;
  /** A job and a mail that the service gave up on. */
  readonly jobId: string;
  readonly mailId: string;
}

const flagKey = 'fuzzed-flag';
/** One pixel. */
const examplePng =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Creates everything through the API, for a service with the payment sandbox. */
export async function createWorld(app: TestApp): Promise<World> {
  const admin = await createAdmin(app);
  const markers: Record<string, string> = {};
  const newTenant = async (name: string): Promise<TestTenant> => {
    const marker = `planted-${newId()}`;
    const tenant = await createTenant(app, admin, `${name} ${marker}`);
    markers[tenant.id] = marker;
    return tenant;
  };
  const [own, foreign] = [await newTenant('Own'), await newTenant('Foreign')];
  const people: People = {
    admin,
    victim: await createTenant(app, admin),
    victimAdmin: await createAdmin(app, 'admin'),
    spareToken: await createAdmin(app, 'admin'),
    buyer: await createUser(app),
  };
  const billing = await createBillingData(app, admin);
  for (const tenant of [own, foreign]) await plant(tenant, markers[tenant.id] ?? '');
  const ids = await createIds(app, people, own);
  const foreignData = await createLicensingData(foreign);
  let data = await createLicensingData(own);
  const harvest = createHarvest();
  const used = new Set(parts);
  const renewals: Readonly<Record<Part, () => Promise<void>>> = {
    async data() {
      // A tenant can have at most 100 active access tokens, and there are more routes.
      await own.asOwner('DELETE', `/access-tokens/${data.spareAccessTokenId}`);
      // A tenant can have at most 100 connections, and requests create many.
      await app.services.tenants.withTenantDb(own.id, ({ query }) =>
        query.updateTable('connections').set({ deleted_at: '2026-01-01T00:00:00.000000Z' }).execute(),
      );
      // Nor may one owner invite more than 100 people a day.
      await app.services.platform.query.deleteFrom('mail_counts').execute();
      data = await createLicensingData(own);
      // The holder has the license.
      used.add('holder');
    },
    async 'spare token'() {
      people.spareToken = await createAdmin(app, 'admin');
    },
    async sessions() {
      ids.sessionId = await startSession(app, own.owner);
      ids.adminSessionId = await startAdminSession(app, admin);
    },
    async identity() {
      ids.identityId = await linkIdentity(app, own.owner);
    },
    async holder() {
      // Requests may have switched the portal off or chosen another handle.
      await own.asOwner('PUT', '/portal', { handle: ids.handle, is_enabled: true });
      ids.holderToken = await logInHolder(app, own, ids.handle, data.licenseId);
    },
  };
  return {
    app,
    own,
    foreign,
    markers,
    credentials: await createCredentials(app, { own, foreign, admin }),
    harvest,
    async refresh(route) {
      for (const part of route === undefined ? parts : partsOf(route)) {
        if (used.delete(part)) await renewals[part]();
      }
    },
    markUsed() {
      for (const part of parts) used.add(part);
    },
    contextOf: (route) => chooseContext(route, { own, people, ids, billing, data, foreignData, harvest }),
  };
}

async function createIds(app: TestApp, { admin, buyer }: People, own: TestTenant): Promise<Ids> {
  const flagId = await createFlag(app, admin, flagKey, booleanFlag());
  const checkoutId = (await startSignUp(await createSignUp(app, buyer), 'free')).id;
  const exportId = (await asUser(app, own.owner, 'POST', '/export')).body.data.id;
  await runTenantJobs(app);
  const paymentEventId = newId();
  await insertPaymentEvent(app, paymentEventId);
  const sessionId = await startSession(app, own.owner);
  const adminSessionId = await startAdminSession(app, admin);
  const identityId = await linkIdentity(app, own.owner);
  const handle = await portalOf(own);
  const ofPersons = { sessionId, adminSessionId, identityId, handle, holderToken: '' };
  return { flagId, checkoutId, exportId, paymentEventId, ...ofPersons, ...(await insertDeadWork(app)) };
}

async function insertDeadWork(app: TestApp): Promise<Pick<Ids, 'jobId' | 'mailId'>> {
  const { platform, clock, keyring } = app.services;
  const [at, mailId, last_error] = [clock.now(), newId(), 'It failed.'];
  const job = { subject_id: 'platform', kind: 'fuzzed', status: 'dead', due_at: null, wake_at: null } as const;
  await platform.query
    .insertInto('jobs')
    .values({ ...job, lease_owner: null, attempts: 8, last_error, updated_at: at })
    .execute();
  const sealed_message = keyring.seal(JSON.stringify({ to: 'ada@example.com', subject: 'Hello', text: '', html: '' }));
  await platform.query
    .insertInto('dead_mails')
    .values({ id: mailId, sealed_message, attempts: 1, last_error, useful_until: null, created_at: at, died_at: at })
    .execute();
  return { jobId: `${job.subject_id}.${job.kind}`, mailId };
}

/** Stores an event of the sandbox about an unknown subscription. */
async function insertPaymentEvent({ services }: TestApp, id: string): Promise<void> {
  const { clock, platform } = services;
  const at = clock.now();
  const stamps = { created_at: at, received_at: at, replayed_at: null };
  const subject = { provider_subscription_id: 'sub_nobody', checkout_reference: null };
  const event = { provider: 'sandbox' as const, provider_event_id: `evt_${id}`, type: 'invoice.paid' };
  await platform.query
    .insertInto('payment_events')
    .values({ id, ...event, ...subject, ...stamps })
    .execute();
}

/** Writes a marker to a field of every kind of resource. Audit records and events then contain it as well. */
async function plant(tenant: TestTenant, marker: string): Promise<void> {
  const make = async (path: string, fields: object, method: 'POST' | 'PUT' = 'POST') =>
    successful(await tenant.asOwner(method, path, fields)).body.data;
  await make('/settings', { name: marker }, 'PUT');
  const code = newId();
  await make('/entitlements', { code, name: marker, type: 'metered', description: marker });
  const product = await make('/products', { code, name: marker, description: marker, metadata: { note: marker } });
  const policy = await make('/policies', { product_id: product.id, code, name: marker, metadata: { note: marker } });
  await make('/portal', { handle: `fuzzed-${newId().slice(-12)}`, is_enabled: true }, 'PUT');
  await make('/brand', { display_name: marker, logo: examplePng }, 'PUT');
  const holder = { name: marker, reference: marker, email: `${marker}@example.com` };
  const license = await make('/licenses', { policy_id: policy.id, holder, entitlements: [{ code }] });
  const device = { fingerprint: code, name: marker, hostname: marker };
  successful(await tenant.asApplication(`/licenses/${license.key}/activations`, device));
  await make('/api-keys', { name: marker });
  await make('/access-tokens', { name: marker, role: 'viewer' });
  await make('/notifications', { title: marker, body: marker });
  await make('/members', { email: `${marker}@example.com`, role: 'viewer' });
  await make('/webhooks', { url: `https://hooks.example.com/${marker}`, description: marker, events: ['*'] });
}

function successful(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`The marker was not planted: ${answer.text}`);
  return answer;
}

interface Known {
  readonly own: TestTenant;
  readonly people: People;
  readonly ids: Ids;
  readonly billing: BillingData;
  readonly data: LicensingData;
  readonly foreignData: LicensingData;
  readonly harvest: Harvest;
}

function ownerOf({ id, owner }: TestTenant): Credential {
  return { name: 'the owner of the tenant', headers: owner.auth, access: { kind: 'user', role: 'owner' }, reads: id };
}

function adminWith({ auth }: Account): Credential {
  return { name: 'a super_admin', headers: auth, access: { kind: 'admin', role: 'super_admin' }, reads: 'every' };
}

function personWith({ auth }: Account): Credential {
  return { name: 'a user without a tenant', headers: auth, access: { kind: 'user', role: null }, reads: null };
}

const allScopes = ['licenses:validate', 'activations:write', 'entitlements:check', 'usage:write', 'releases:read'];

function keyOf({ id, apiKey }: TestTenant, licenseKey: string): Credential {
  const access = { kind: 'key', scopes: allScopes } as const;
  const headers = { 'x-api-key': apiKey, 'x-license-key': licenseKey };
  return { name: 'a key with every scope', headers, access, reads: id };
}

/** Returns the id of the object that a path with one id acts on, if the path has an object of its own. */
function oneObject(path: string, { people, ids }: Known): string | undefined {
  const objects: readonly (readonly [start: string, id: string])[] = [
    ['/api/v1/admin/rate-limits/{id}', people.victim.id],
    ['/api/v1/admin/admins/{id}', people.victimAdmin.id],
    ['/api/v1/admin/users/{id}', people.victim.owner.id],
    ['/api/v1/admin/jobs/{id}', ids.jobId],
    ['/api/v1/admin/mails/{id}', ids.mailId],
    ['/api/v1/admin/feature-flags/{id}', ids.flagId],
    ['/api/v1/admin/billing/events/', ids.paymentEventId],
    ['/api/v1/account/sessions/', ids.sessionId],
    ['/api/v1/admin/account/sessions/', ids.adminSessionId],
    ['/api/v1/account/identities/', ids.identityId],
    ['/api/v1/account/exports/', ids.exportId],
  ];
  if (path === '/api/v1/admin/tenants/{id}') return people.victim.id;
  return objects.find(([start]) => path.startsWith(start))?.[1];
}

function holderWith(token: string, { id }: TestTenant): Credential {
  const headers = { authorization: `Bearer ${token}` };
  return { name: 'the holder of the license', headers, access: { kind: 'holder', isOfPortal: true }, reads: id };
}

function chooseContext(route: LiveRoute, known: Known) {
  const { path } = route;
  const { own, people, ids } = known;
  const asOwner = ownerOf(own);
  const asAdmin = adminWith(people.admin);
  const withId = (id: string, primary: Credential) => ({ context: { existing: { id: [id] } }, primary });
  if (path.startsWith('/api/v1/integration/')) {
    const { productId, licenseKey } = known.data;
    const isOfReleases = /\/(?:releases|feeds)\//.test(path);
    const ofReleases = {
      ...{ product: [productId], license_key: [licenseKey], platform: ['windows'], arch: ['x64', 'x86_64'] },
      ...{ target: ['windows'], channel: ['stable'], file: ['latest.yml'], file_name: ['Editor.exe'] },
    };
    const ofLicenses = existingFor(isOfReleases ? '/integration/releases' : '/activations', known);
    const existing = isOfReleases ? { ...ofLicenses, ...ofReleases } : ofLicenses;
    return { context: { existing }, primary: keyOf(own, licenseKey) };
  }
  if (path.startsWith('/api/v1/portal/')) {
    const existing = { ...existingFor('/licenses', known), handle: [ids.handle] };
    return { context: { existing }, primary: holderWith(ids.holderToken, own) };
  }
  const one = oneObject(path, known);
  if (one !== undefined) return withId(one, path.startsWith('/api/v1/admin/') ? asAdmin : asOwner);
  if (path.startsWith('/ofrep/'))
    return { context: { existing: { key: [flagKey] } }, primary: keyOf(own, known.data.licenseKey) };
  if (path === '/api/v1/admin/feature-flags/try') {
    return { context: { existing: { tenant_id: [own.id] } }, primary: asAdmin };
  }
  if (path.startsWith('/api/v1/onboarding')) {
    const existing = { id: [ids.checkoutId], plan: ['free'], plan_code: ['free'] };
    return { context: { existing, chosen: ['plan_code'] }, primary: personWith(people.buyer) };
  }
  if (billingKinds.some(([part]) => path.includes(part))) return billingContext(path, known);
  if (isOfIdentity(path)) return { context: { existing: {} }, primary: adminWith(people.spareToken) };
  const primary = path.startsWith('/api/v1/admin/') ? asAdmin : asOwner;
  return { context: { existing: existingFor(path, known) }, primary };
}

const billingKinds = [
  ['/catalog/products', 'catalogProductId'],
  ['/catalog/plans', 'planId'],
  ['/catalog/coupons', 'couponId'],
  ['/admin/subscriptions', 'subscriptionId'],
  ['/invoices', 'invoiceId'],
  ['/billing/', 'subscriptionId'],
] as const satisfies (readonly [part: string, kind: keyof BillingData & `${string}Id`])[];

function billingContext(path: string, known: Known) {
  const { billing, people } = known;
  const kind = billingKinds.find(([part]) => path.includes(part))?.[1] ?? 'planId';
  const values = {
    currency: ['usd'],
    country: ['DE'],
    plan: billing.planCodes,
    plan_code: billing.planCodes,
    coupon: billing.couponCodes,
    tenant_id: [billing.tenant.id],
    catalog_product_id: billing.catalogProductId,
    creditNoteId: billing.creditNoteId,
    quantity: ['1'],
    unit_amount: ['4900'],
  };
  const primary = path.startsWith('/api/v1/admin/') ? adminWith(people.admin) : ownerOf(billing.tenant);
  const existing = { ...existingFor(path, known), ...values, id: billing[kind] };
  const chosen = ['currency', 'country', 'plan', 'plan_code', 'coupon', 'quantity', 'unit_amount'];
  return { context: { existing, chosen }, primary };
}

const collections = {
  // First, because the paths of what belongs to a connection contain other names too.
  connection_id: ['/connections', 'connectionId'],
  bulk_operation_id: ['/bulk-operations', 'bulkOperationId'],
  batch_id: ['/license-batches', 'batchId'],
  import_id: ['/licenses/imports', 'importId'],
  offer_id: ['/offers/', 'offerId'],
  event_id: ['/events/', 'saleEventId'],
  note_id: ['/notes/', 'noteId'],
  release_id: ['/integration/releases', 'releaseId'],
  artifact_id: ['/integration/artifacts', 'artifactId'],
  product_id: ['/products', 'productId'],
  policy_id: ['/policies', 'policyId'],
  license_id: ['/licenses', 'licenseId'],
  activation_id: ['/activations', 'activationId'],
  api_key_id: ['/api-keys', 'spareApiKeyId'],
  access_token_id: ['/access-tokens', 'spareAccessTokenId'],
  entitlement_id: ['/entitlements', 'entitlementId'],
  notification_id: ['/notifications', 'notificationId'],
  member_id: ['/members', 'memberId'],
  webhook_id: ['/webhooks', 'webhookId'],
  delivery_id: ['/webhook-deliveries', 'deliveryId'],
  mail_id: ['/mails', 'mailId'],
} as const satisfies Readonly<Record<string, readonly [part: string, name: keyof LicensingData]>>;

/**
 * Returns the existing values for `{id}` in a path, and for references in bodies and filters: of the current data, of
 * earlier responses, and now and then of the foreign tenant.
 */
function existingFor(path: string, { own, people, data, foreignData, harvest }: Known): RequestContext['existing'] {
  const idsOf = (name: string, field: keyof LicensingData) => {
    const current = data[field];
    // The connections of earlier responses were deleted by `refresh`.
    const earlier = field === 'connectionId' ? [] : harvest.values(name);
    return [...Array<string>(8).fill(current), ...earlier, foreignData[field]];
  };
  const ids = Object.fromEntries(Object.entries(collections).map(([name, [, field]]) => [name, idsOf(name, field)]));
  const [kind] = Object.entries(collections).find(([, [part]]) => path.includes(part)) ?? [];
  const taken = {
    code: [data.code, ...harvest.values('code')],
    key: [...Array<string>(8).fill(data.licenseKey), ...harvest.values('key'), foreignData.licenseKey],
    fingerprint: [data.fingerprint, ...harvest.values('fingerprint')],
    cursor: harvest.values('next_cursor'),
    email: [path.includes('/customers/') ? data.customerEmail : people.victimAdmin.email],
    type: ['license.issued'],
    url: ['https://hooks.example.com/fuzz', 'https://127.0.0.1/'],
  };
  const all = Object.values(collections).map(([, field]) => data[field]);
  return { ...ids, ...taken, id: kind === undefined ? all : (ids[kind] ?? all), tenantId: [own.id] };
}
