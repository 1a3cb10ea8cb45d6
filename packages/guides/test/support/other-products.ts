import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { startFakeKeygen } from '../../../server/test/support/fake-keygen.ts';
import { fillAccount, newLicense } from '../../../server/test/support/keygen-account.ts';

/** The token that the servers below expect. */
export const otherProductToken = 'sample-token';

const licenseKeys = [
  {
    type: 'license-keys',
    id: '2',
    attributes: {
      ...{ store_id: 1, customer_id: 7, order_id: 1042, product_id: 4 },
      ...{ user_name: 'Ada Lovelace', user_email: 'ada@example.com' },
      ...{ key: '80e15db5-c796-436b-850c-8f9c98a48abe', key_short: 'XXXX-8f9c98a48abe' },
      ...{ activation_limit: 5, instances_count: 2, disabled: 0, status: 'active', expires_at: null },
    },
  },
  {
    type: 'license-keys',
    id: '1',
    attributes: {
      ...{ store_id: 1, customer_id: 8, order_id: 1043, product_id: 4 },
      ...{ user_name: 'Charles Babbage', user_email: 'charles@example.com' },
      ...{ key: '38b1460a-5104-4067-a91d-77b872934d51', key_short: 'XXXX-77b872934d51' },
      ...{ activation_limit: 1, instances_count: 0, disabled: 1, status: 'disabled' },
      expires_at: '2031-05-24T14:15:07.000000Z',
    },
  },
];

const licenses = [
  {
    ...{ id: 'b7b9a1a4-1f6e-4d5c-9a3e-0d2f6c1e8a11', key: '4F1B2C-9A0D3E-77C1F0-2B6E5D-8A9C4F-13D7E2' },
    ...{ type: 'node-locked', validity: 31536000, expiresAt: '2031-05-24T14:15:07Z' },
    ...{ allowedActivations: 3, totalActivations: 1, suspended: false, revoked: false },
    user: { id: '5a2e', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' },
    metadata: [{ key: 'order', value: '1042' }],
  },
  {
    ...{ id: 'c2d4e6f8-3b5a-4c7e-8d9f-1a2b3c4d5e6f', key: 'A1B2C3-D4E5F6-0718F9-2A3B4C-5D6E7F-8091A2' },
    ...{ type: 'node-locked', validity: 0, expiresAt: null },
    ...{ allowedActivations: 1, totalActivations: 0, suspended: true, revoked: false },
    ...{ user: null, metadata: [] },
  },
];

/**
 * Starts a server that answers with one license per page, in the format that the vendor documents. Sources:
 * https://docs.lemonsqueezy.com/api/license-keys/list-all-license-keys, https://api.cryptlex.com/v3/docs.
 * Returns its address. It does not keep the process alive.
 */
async function start(answer: (url: URL) => unknown): Promise<string> {
  const listener: RequestListener = ({ url = '/', headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${otherProductToken}`;
    const body = isKnown ? answer(new URL(url, 'http://server')) : undefined;
    response.writeHead(body === undefined ? 401 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { errors: [] }));
  };
  const server = createServer(listener).listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

/** Starts a server with the license keys of a shop at Lemon Squeezy. */
export function startLemonSqueezy(): Promise<string> {
  return start(({ pathname, searchParams }) => {
    if (pathname !== '/v1/license-keys') return undefined;
    const page = Number(searchParams.get('page[number]'));
    return { meta: { page: { currentPage: page, lastPage: 2, total: 2 } }, data: licenseKeys.slice(page - 1, page) };
  });
}

/** Starts a server with the licenses of an account at Cryptlex. */
export function startCryptlex(): Promise<string> {
  return start(({ pathname, searchParams }) => {
    if (pathname !== '/v3/licenses') return undefined;
    const page = Number(searchParams.get('page'));
    return licenses.slice(page - 1, page);
  });
}

/** Starts a server with an account of Keygen: two licenses that move as they are, one with uses, one with a bad key. */
export async function startKeygen(): Promise<string> {
  const keygen = await startFakeKeygen();
  fillAccount(keygen, 2);
  keygen.collections.get('licenses')?.push(newLicense(3, { uses: 3 }), newLicense(4, { key: 'not/valid key' }));
  return keygen.url;
}
