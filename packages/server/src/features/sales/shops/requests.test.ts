import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { apiNow, imitateShop } from './imitated-shop.fixture.ts';
import { shopReader } from './requests.ts';
import { ShopApiError } from './shop.ts';

const origin = 'https://api.shop.example';
const host = { name: 'The shop', origin, headers: { authorization: 'Bearer secret' } };

/** Paths as a shop may send them as the address of its next page. */
const hostilePath = fc.oneof(
  fc.webUrl({ withQueryParameters: true }),
  fc.string(),
  fc.constantFrom(
    '//other.example/',
    '\\\\other.example\\',
    '/\\other.example',
    'http:other.example',
    `${origin}.other.example/`,
    `https://api.shop.example@other.example/`,
    'https:/\t/other.example',
    'file:///etc/passwd',
    'http://169.254.169.254/latest/meta-data',
  ),
);

test('the key of a shop is sent to the own host of the shop only, whatever address a page names', async () => {
  await fc.assert(
    fc.asyncProperty(hostilePath, async (path) => {
      const shop = imitateShop(origin, () => ({}));
      const read = shopReader(host, shop.options);
      await read(path).catch((error: unknown) => {
        const isRefused = error instanceof ShopApiError || (error instanceof TypeError && /URL/.test(error.message));
        expect(isRefused, String(error)).toBe(true);
      });
      for (const url of shop.requests) expect(url.origin).toBe(origin);
    }),
    { numRuns: 500 },
  );
});

test('a redirection is not followed, so no other host gets the key', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  const options = { fetch: globalThis.fetch, signal, now: () => apiNow };
  const read = shopReader({ ...host, origin: `http://127.0.0.1:${port}` }, options);
  await expect(read('/v1/sales')).rejects.toBeInstanceOf(ShopApiError);
  expect(seen).toEqual(['/v1/sales']);
});
