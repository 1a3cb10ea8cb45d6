import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';

/** Returns the bytes, compressed with brotli as servers send them, of an application that imports the given names and nothing else, without React. */
async function bundledBytes(names: string, source = 'index.ts'): Promise<number> {
  const entry = fileURLToPath(new URL(`../src/${source}`, import.meta.url));
  const application = '\0application';
  const bundle = await rolldown({
    input: application,
    platform: 'browser',
    external: ['react'],
    plugins: [
      {
        name: 'application',
        resolveId: (id) => (id === application ? id : undefined),
        load: (id) => (id === application ? `export ${names} from ${JSON.stringify(entry)};` : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  return brotliCompressSync(output[0].code).length;
}

/** The limits that the README states. */
const limits = { client: 8, guard: 13.5 };

test('the README states how much of the SDK an application contains', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
  expect(readme).toContain(`at most ${limits.client} KB of the client, or ${limits.guard} KB with the guard`);
});

describe('an application that is bundled, minified and compressed', () => {
  test.each([
    ['{ LicensingClient }', limits.client],
    ['{ verifyCertificate }', 4],
    ['{ LicensingClient, LicenseGuard }', limits.guard],
    // What applications contain. The management client is for servers.
    [
      `{ ${[
        ...['LicensingClient', 'LicenseGuard', 'UsageRecorder', 'verifyCertificate', 'verifyVerdict'],
        ...['verifyWebhook', 'offlineRequest', 'readCertificateFile', 'webStore', 'memoryStore', 'LicensingError'],
      ].join(', ')} }`,
      16,
    ],
    ['*', 18.5],
  ])('contains at most this many KB for the import %s: %i', async (names, kilobytes) => {
    expect(await bundledBytes(names)).toBeLessThanOrEqual(kilobytes * 1024);
  });

  test.each([
    ['react', 0.8],
    ['electron', 1.2],
    ['webhooks', 2.5],
  ])('contains at most this many KB for the entry @licensing/sdk/%s: %d', async (entry, kilobytes) => {
    expect(await bundledBytes('*', `${entry}/index.ts`)).toBeLessThanOrEqual(kilobytes * 1024);
  });
});
