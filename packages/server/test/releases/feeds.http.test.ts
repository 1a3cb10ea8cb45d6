import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { valid } from 'semver';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { newLicense, newProduct } from '../support/licensing-catalog.ts';
import { asUpdater, fileInput, newRelease, refusal } from './release-data.ts';

// The parser of the real updater, without the parts that need Electron.
const require = createRequire(import.meta.url);
const { GenericProvider } = require('electron-updater/out/providers/GenericProvider');
const { findFile } = require('electron-updater/out/providers/Provider');
const { DigestTransform } = require('builder-util-runtime');

const suite = useTenant();
const content = Buffer.from('the bytes of a file');
const sha256 = createHash('sha256').update(content).digest('hex');
const signature = 'untrusted comment: signature from tauri';
const notes = '# New\n\n<b>bold</b> & "quoted" ]]> \u{1f600}';
let code: string;
let key: string;
let expired: string;
let release: { readonly id: string; readonly artifacts: { readonly id: string; readonly url: string }[] };

beforeAll(async () => {
  const product = await newProduct(suite.tenant);
  code = product.code;
  key = (await newLicense(suite.tenant, { product_id: product.id })).key;
  const policy = { product_id: product.id, duration_days: 365, maintenance_days: 30 };
  const ended = await newLicense(suite.tenant, policy, { maintenance_expires_at: '2026-01-01T00:00:00Z' });
  expired = ended.key;
  const file = (platform: string, arch: string, file_name: string, fields: object = {}) =>
    fileInput({ platform, arch, file_name, sha256, size: content.length, ...fields });
  const artifacts = [
    file('windows', 'x64', 'Editor Setup 2.0.0.exe', { signature }),
    file('windows', 'arm64', 'Editor-2.0.0-arm64.exe'),
    file('macos', 'universal', 'Editor-2.0.0.dmg'),
    file('macos', 'universal', 'Editor-2.0.0.zip', { signature: 'ZWQyNTUxOQ==' }),
    file('linux', 'x64', 'Editor-2.0.0.AppImage'),
    file('linux', 'arm64', 'Editor-2.0.0-arm64.AppImage'),
  ];
  release = await newRelease(suite.tenant, product.id, '2.0.0', { notes, artifacts });
  await newRelease(suite.tenant, product.id, '2.1.0-beta.1', { channel: 'beta', artifacts });
});

const feed = (path: string, licenseKey = key) =>
  asUpdater(suite.app, suite.tenant, `/feeds/${code}/${path}`, licenseKey);

/** Returns the location to which the address of a feed leads. */
async function locationOf(address: string): Promise<unknown> {
  const { pathname } = new URL(address);
  const answer = await asUpdater(suite.app, suite.tenant, pathname, key);
  return answer.headers.location;
}

/** Asks as electron-updater does, and returns what it read and the file that it would download. */
async function electron(platform: string, extension: string, channel: string | null = null) {
  const executor = {
    async request({ path, headers }: { path: string; headers: Record<string, string> }) {
      const answer = await suite.app.request({ method: 'GET', url: path, headers });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.text;
    },
  };
  const updater = { channel, isAddNoCacheQuery: true };
  const url = `https://licenses.example.com/api/v1/integration/feeds/${code}/electron`;
  const provider = new GenericProvider({ provider: 'generic', url }, updater, { executor, platform });
  provider.setRequestHeaders({ 'x-api-key': suite.tenant.apiKey, 'x-license-key': key });
  const info = await provider.getLatestVersion();
  return { info, file: findFile(provider.resolveFiles(info), extension) };
}

describe('the feed of electron-updater', () => {
  test.for([
    ['win32', 'exe', 0],
    ['darwin', 'zip', 3],
    ['linux', 'AppImage', 4],
  ] as const)('its parser reads the release on %s and finds the %s', async ([platform, extension, index]) => {
    const { info, file } = await electron(platform, extension);
    expect([info.version, valid(info.version), info.releaseNotes]).toEqual(['2.0.0', '2.0.0', notes]);
    expect(Number.isNaN(Date.parse(info.releaseDate))).toBe(false);
    expect(await locationOf(file.url.href)).toBe(release.artifacts[index]?.url);
    const digest = new DigestTransform(file.info.sha2, 'sha256', 'hex');
    digest.resume();
    await new Promise((resolve, reject) => digest.on('end', resolve).on('error', reject).end(content));
  });

  test('a channel of its own is read, and a name that it never asks for is not found', async () => {
    expect((await electron('win32', 'exe', 'beta')).info.version).toBe('2.1.0-beta.1');
    const files = JSON.parse((await feed('electron/latest-linux-arm64.yml')).text).files;
    expect(files.map(({ url }: { url: string }) => url.split('/').at(-1))).toEqual(['Editor-2.0.0-arm64.AppImage']);
    for (const name of ['latest.json', 'latest-mac-arm64.yml', 'Latest.yml', '..yml']) {
      expect(refusal(await feed(`electron/${name}`))).toEqual([404, 'RELEASE.NOT_FOUND']);
    }
  });
});

describe('the feed of Tauri', () => {
  const ask = (query: string, channel = 'stable') => feed(`tauri/${channel}?${query}`);

  test('it has the fields that Tauri documents, for a signed file', async () => {
    const { body } = await ask('target=windows&arch=x86_64&current_version=1.9.0');
    const { url, pub_date, ...rest } = body;
    expect(rest).toEqual({ version: '2.0.0', notes, signature });
    expect(pub_date).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    expect(await locationOf(url)).toBe(release.artifacts[0]?.url);
  });

  test('it is 204 without an update: the version is current, or no file is signed', async () => {
    for (const query of [
      'target=windows&arch=x86_64&current_version=2.0.0',
      'target=windows&arch=aarch64&current_version=1.0.0',
      'target=linux&arch=x86_64&current_version=1.0.0',
    ]) {
      const answer = await ask(query);
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    expect((await ask('target=plan9&arch=x86_64')).status).toBe(422);
  });
});

describe('the feed of Sparkle', () => {
  test('it is an appcast with the signed file and harmless notes', async () => {
    const answer = await feed('sparkle/stable?arch=arm64');
    expect(answer.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(XMLValidator.validate(answer.text)).toBe(true);
    const parser = new XMLParser({ ignoreAttributes: false, parseTagValue: false, processEntities: true });
    const { item } = parser.parse(answer.text).rss.channel;
    expect([item['sparkle:version'], item['sparkle:shortVersionString']]).toEqual(['2.0.0', '2.0.0']);
    expect(new Date(item.pubDate).toUTCString()).toBe(item.pubDate);
    expect(item.description).toContain('&lt;b&gt;bold');
    const enclosure = item.enclosure;
    expect(enclosure['@_sparkle:edSignature']).toBe('ZWQyNTUxOQ==');
    expect(enclosure['@_length']).toBe(String(content.length));
    expect(await locationOf(enclosure['@_url'])).toBe(release.artifacts[3]?.url);
  });
});

describe('every feed', () => {
  test.for(['electron/latest.yml', 'tauri/stable?target=windows&arch=x86_64', 'sparkle/stable'])(
    '%s needs a license that permits a release, and is not cached',
    async (path) => {
      expect((await feed(path)).headers['cache-control']).toBe('no-store');
      expect(refusal(await asUpdater(suite.app, suite.tenant, `/feeds/${code}/${path}`))).toEqual([
        ...[422, 'LICENSE.KEY_REQUIRED'],
      ]);
      expect(refusal(await feed(path, 'UNKNOWN'))).toEqual([404, 'LICENSE.NOT_FOUND']);
      expect(refusal(await feed(path, expired))).toEqual([422, 'LICENSE.MAINTENANCE_EXPIRED']);
      expect(refusal(await asUpdater(suite.app, suite.tenant, `/feeds/unknown/${path}`, key))).toEqual([
        ...[404, 'PRODUCT.NOT_FOUND'],
      ]);
    },
  );
});
