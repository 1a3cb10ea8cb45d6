import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LicenseGuard, memoryStore } from '../src/index.ts';
import { verifyArtifact } from '../src/node/index.ts';
import { useLiveService } from './support/live-service.ts';
import { collect } from './support/managed.ts';

const service = useLiveService();
const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const file = { platform: 'any', arch: 'any', fileName: 'editor.zip', size: 3, sha256 } as const;
const artifacts = [{ ...file, url: 'https://downloads.example.com/editor.zip' }];

/** Creates a license, and a draft of its product. */
async function releasedProduct(fields: object = {}) {
  const { id, key, product } = await service.license({}, fields);
  const management = service.management();
  const { productId } = await management.licenses.get(id);
  const draft = await management.releases.create(productId, { version: '2.0.0', artifacts });
  return { key, product, productId, draft, releases: management.releases };
}

describe('releases', () => {
  test('are drafted, changed, published, listed, counted and withdrawn', async () => {
    const { key, productId, draft, releases } = await releasedProduct();
    expect(await releases.update(productId, draft.id, { notes: 'Faster.' })).toMatchObject({ notes: 'Faster.' });
    expect(await releases.publish(productId, draft.id)).toMatchObject({ status: 'published' });
    expect(await releases.publish(productId, draft.id), 'again').toMatchObject({ status: 'published' });
    const [artifact] = draft.artifacts;
    const link = await service.client().downloadRelease(draft.id, artifact?.id ?? '', key);
    expect(link).toMatchObject({ url: artifacts[0]?.url, fileName: 'editor.zip', sha256, expiresAt: null });
    expect(await releases.downloads(productId, draft.id)).toMatchObject([{ count: 1 }]);
    expect(await releases.get(productId, draft.id)).toMatchObject({ downloadsCount: 1 });
    expect(await releases.yank(productId, draft.id, { reason: 'It crashes.' })).toMatchObject({ status: 'yanked' });
    await expect(service.client().downloadRelease(draft.id, artifact?.id ?? '', key)).rejects.toMatchObject({
      code: 'RELEASE.NOT_FOUND',
    });
    const { id } = await releases.create(productId, { version: '2.1.0' });
    await releases.delete(productId, id);
    expect(await collect(releases.list(productId, { status: 'yanked' }))).toMatchObject([{ version: '2.0.0' }]);
  });

  test('are what a guard offers as an update, or says why not', async () => {
    const maintenanceExpiresAt = new Date(Date.now() - 86_400_000).toISOString();
    const permitted = await releasedProduct();
    const late = await releasedProduct({ maintenance_expires_at: maintenanceExpiresAt });
    await permitted.releases.publish(permitted.productId, permitted.draft.id);
    const guard = guardOf(permitted.key, permitted.product);
    expect(await guard.checkForUpdate({ currentVersion: '1.0.0' })).toMatchObject({
      ...{ release: { version: '2.0.0', artifacts: [file] }, newest: { version: '2.0.0' }, code: null },
    });
    expect(await guard.checkForUpdate({ currentVersion: '2.0.0' })).toMatchObject({ release: null, code: null });
    expect(await guardOf('', permitted.product).checkForUpdate({ currentVersion: '1.0.0' })).toMatchObject({
      ...{ release: null, newest: { version: '2.0.0' }, code: 'LICENSE.KEY_REQUIRED' },
    });
    await late.releases.publish(late.productId, late.draft.id);
    expect(await guardOf(late.key, late.product).checkForUpdate({ currentVersion: '1.0.0' })).toMatchObject({
      ...{ release: null, newest: { version: '2.0.0' }, code: 'LICENSE.MAINTENANCE_EXPIRED' },
    });
  });
});

function guardOf(licenseKey: string, product: string): LicenseGuard {
  return new LicenseGuard({ client: service.client(), licenseKey, product, store: memoryStore(), unsigned: true });
}

test('components let a policy recognise a machine whose fingerprint changed', async () => {
  const { key } = await service.license({ fingerprint_matching: 'most', max_activations: 1 });
  const parts = { board: 'b1', disk: 'd1', mac: 'm1' };
  const client = service.client();
  const { id } = await client.activate(key, { fingerprint: 'before', components: parts });
  const repaired = { fingerprint: 'after', components: { ...parts, disk: 'd2' } };
  expect(await client.validate(key, repaired)).toMatchObject({ activation: { id, fingerprint: 'after' } });
  const another = { fingerprint: 'another', components: { board: 'b2', disk: 'd3', mac: 'm2' } };
  await expect(client.activate(key, another)).rejects.toMatchObject({ code: 'ACTIVATION.LIMIT_REACHED' });
});

test('verifyArtifact compares the hash of a file, in any case of letters', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'licensing-artifact-'));
  const path = join(folder, 'editor.zip');
  try {
    await writeFile(path, 'abc');
    expect(await verifyArtifact(path, sha256.toUpperCase())).toBe(true);
    await writeFile(path, 'abd');
    expect(await verifyArtifact(path, sha256)).toBe(false);
    await expect(verifyArtifact(path, 'abc')).rejects.toMatchObject({ code: 'CONFIGURATION.INVALID' });
    await expect(verifyArtifact(`${path}.missing`, sha256)).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
