import { newId } from '../../src/lib/ids.ts';
import type { TestTenant } from './accounts.ts';
import type { Answer } from './harness.ts';

/** One resource of every kind of a tenant. */
export interface LicensingData {
  /** The code of the product and of the policy. */
  readonly code: string;
  readonly productId: string;
  readonly policyId: string;
  /** A published release of the product with files for two updaters, which was downloaded once. */
  readonly releaseId: string;
  readonly artifactId: string;
  readonly licenseId: string;
  readonly licenseKey: string;
  /** The address of the license's holder. */
  readonly customerEmail: string;
  readonly noteId: string;
  readonly activationId: string;
  readonly fingerprint: string;
  /** The entitlement of the license. */
  readonly entitlementId: string;
  readonly webhookId: string;
  /** The delivery of a test event to the webhook. */
  readonly deliveryId: string;
  /** The id of an API key that nothing else uses. */
  readonly spareApiKeyId: string;
  /** The id of an access token that nothing uses. */
  readonly spareAccessTokenId: string;
  /** The id of an unread notification. */
  readonly notificationId: string;
  /** The id of the mail with which the license was sent to its holder. */
  readonly mailId: string;
  /** A connection to a hand-made shop, with an offer and a message that waits. */
  readonly connectionId: string;
  readonly offerId: string;
  readonly saleEventId: string;
  /** A cancelled change of many licenses, and a batch whose licenses a job would issue. */
  readonly bulkOperationId: string;
  readonly batchId: string;
  /** An import of no rows, which has ended. */
  readonly importId: string;
  /** The id of an open invitation. */
  readonly memberId: string;
}

const download_storage = {
  endpoint: 'https://storage.example.com',
  region: 'eu-central-1',
  bucket: 'releases',
  access_key_id: 'AKIA0000',
  secret_access_key: 'secret-of-the-storage',
};

async function publishRelease(tenant: TestTenant, productId: string, license_key: string) {
  const file = { arch: 'x64', url: 'https://downloads.example.com/file', size: 1, sha256: '0'.repeat(64) };
  const artifacts = [
    { ...file, platform: 'windows', file_name: 'Editor.exe', signature: 'signed' },
    { ...file, platform: 'macos', file_name: 'Editor.zip' },
  ];
  const path = `/products/${productId}/releases`;
  const { id: releaseId } = created(await tenant.asOwner('POST', path, { version: '1.0.0', artifacts }));
  const published = await tenant.asOwner('POST', `${path}/${releaseId}/publish`, {});
  const { id: artifactId } = published.body.data.artifacts[0];
  const download = await tenant.asApplication(`/releases/${releaseId}/artifacts/${artifactId}/download`, {
    license_key,
  });
  if (download.status !== 200) throw new Error(`Nothing was downloaded: ${download.text}`);
  return { releaseId, artifactId };
}

/** Creates one resource of every kind through the API. */
export async function createLicensingData(tenant: TestTenant): Promise<LicensingData> {
  const code = newId();
  const fingerprint = `machine-${code}`;
  const customerEmail = `holder-${code}@example.com`;
  const make = async (path: string, fields: object) => created(await tenant.asOwner('POST', path, fields));
  const entitlement = { code, name: 'Exports', type: 'metered' };
  const { id: entitlementId } = await make('/entitlements', entitlement);
  const { id: productId } = await make('/products', { code, name: 'Editor', download_storage });
  const policy = {
    product_id: productId,
    code,
    name: 'Yearly',
    duration_days: 365,
    max_activations: 5,
    holder_may_replace_key: true,
  };
  const { id: policyId } = await make('/policies', policy);
  const { id: licenseId, key: licenseKey } = await make('/licenses', {
    policy_id: policyId,
    entitlements: [{ code }],
    holder: { email: customerEmail },
  });
  const { id: noteId } = await make(`/customers/${customerEmail}/notes`, { text: 'A note.' });
  const [{ id: mailId }] = (await tenant.asOwner('GET', `/mails?license_id=${licenseId}`)).body.data;
  const { id: spareApiKeyId } = await make('/api-keys', { name: 'Spare' });
  const { id: spareAccessTokenId } = await make('/access-tokens', { name: 'Spare', role: 'viewer' });
  const { id: notificationId } = await make('/notifications', { title: 'Release', body: 'Version 2 is out.' });
  const { id: memberId } = await make('/members', { email: `${code}@example.com`, role: 'viewer' });
  const activated = await tenant.asApplication(`/licenses/${licenseKey}/activations`, { fingerprint });
  const { id: activationId } = created(activated);
  const events = [{ entitlement: code, quantity: 1 }];
  const reported = await tenant.asApplication(`/licenses/${licenseKey}/usage`, { events });
  if (reported.body.data?.results[0].status !== 'accepted') throw new Error(`No usage was counted: ${reported.text}`);
  // A rare event only: deliveries of all later events would never be sent, and would fill the lists.
  const webhook = { url: `https://hooks.example.com/${code}`, events: ['webhook.disabled'] };
  const { id: webhookId } = await make('/webhooks', webhook);
  const { releaseId, artifactId } = await publishRelease(tenant, productId, licenseKey);
  const { id: connectionId } = await make('/connections', { provider: 'custom', name: 'Shop' });
  const { id: offerId } = await make(`/connections/${connectionId}/offers`, { external_id: code, policy_id: policyId });
  await make(`/connections/${connectionId}/test-sale`, { email: customerEmail });
  const [{ id: saleEventId }] = (await tenant.asOwner('GET', `/connections/${connectionId}/events`)).body.data;
  const start = async (path: string, fields: object | string) =>
    (await tenant.asOwner('POST', path, fields)).body.data.id;
  const bulkOperationId = await start('/bulk-operations', { ids: [licenseId], action: { type: 'suspend' } });
  await tenant.asOwner('POST', `/bulk-operations/${bulkOperationId}/cancel`);
  const batchId = await start('/license-batches', { name: 'Reseller', policy_id: policyId, count: 1 });
  const importId = await start('/licenses/import?background=true', 'policy\n');
  const { id: deliveryId } = (await tenant.asOwner('POST', `/webhooks/${webhookId}/test`)).body.data;
  const ofCatalog = { productId, policyId, releaseId, artifactId, licenseId, mailId, activationId, entitlementId };
  const ofPeople = { noteId, spareApiKeyId, spareAccessTokenId, notificationId, memberId };
  const ofShop = { connectionId, offerId, saleEventId, bulkOperationId, batchId, importId };
  return { code, licenseKey, customerEmail, fingerprint, ...ofCatalog, ...ofPeople, ...ofShop, webhookId, deliveryId };
}

function created(answer: Answer): { readonly id: string; readonly key: string } {
  if (answer.status !== 201) throw new Error(`The test data could not be created: ${answer.status} ${answer.text}`);
  return answer.body.data;
}
