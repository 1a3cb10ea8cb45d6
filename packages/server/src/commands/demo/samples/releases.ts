import { createHash } from 'node:crypto';
import { issueCopies } from '../../../features/licensing/licenses/copied-service.ts';
import { generateLicenseKey } from '../../../features/licensing/licenses/license-key.ts';
import { newLicense } from '../../../features/licensing/licenses/service.ts';
import { createPastDownloads } from '../../../features/releases/downloads/service.ts';
import { createRelease, publishRelease } from '../../../features/releases/releases/service.ts';
import { transactWithEvents } from '../../../features/tenant-core/events/outbox.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { demoHolder } from '../portal.ts';
import type { DemoCatalog } from './catalog.ts';
import { dayMs, type Present, servicesAt } from './past.ts';
import { createRandom } from './random.ts';

interface DemoRelease {
  readonly version: string;
  readonly channel: 'stable' | 'beta';
  readonly notes: string;
  /** Null: it is a draft. */
  readonly publishedDaysAgo: number | null;
}

const releases: readonly DemoRelease[] = [
  { version: '1.0.0', channel: 'stable', notes: 'The first version.', publishedDaysAgo: 380 },
  {
    version: '1.4.0',
    channel: 'stable',
    notes: '- Export to **PDF**\n- Projects open twice as fast',
    publishedDaysAgo: 190,
  },
  {
    version: '2.0.0',
    channel: 'stable',
    notes: '## A new editor\n\n- Dark colours\n- Plugins\n\nRead [what has changed](https://example.com/editor/2).',
    publishedDaysAgo: 24,
  },
  { version: '2.1.0-beta.1', channel: 'beta', notes: '- Tables, for your opinion', publishedDaysAgo: 6 },
  { version: '2.1.0', channel: 'stable', notes: '- Tables', publishedDaysAgo: null },
];

const files = [
  { platform: 'macos', arch: 'universal', ending: 'dmg' },
  { platform: 'windows', arch: 'x64', ending: 'exe' },
  { platform: 'linux', arch: 'x64', ending: 'AppImage' },
] as const;

/** Only their descriptions exist: nothing is at the addresses. */
function filesOf(version: string) {
  return files.map(({ ending, ...target }, index) => {
    const file_name = `Editor-${version}.${ending}`;
    const sha256 = createHash('sha256').update(file_name).digest('hex');
    const url = `https://downloads.example/editor/${version}/${file_name}`;
    return { ...target, file_name, url, size: 84_000_000 + index * 7_340_032, sha256 };
  });
}

interface DemoProduct {
  readonly present: Present;
  readonly catalog: DemoCatalog;
}

/** Creates the versions of the demo's application, with their downloads of the last weeks. */
export async function createDemoReleases(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { present, catalog }: DemoProduct,
): Promise<void> {
  // Of its own, so that the rest of the demo stays as it is.
  const random = createRandom(43);
  const productId = catalog.perpetual.product_id;
  for (const { publishedDaysAgo, version, ...fields } of releases) {
    const then = servicesAt(services, present.nowMs - (publishedDaysAgo ?? 1) * dayMs);
    const input = { version, ...fields, artifacts: filesOf(version) };
    const { id } = await createRelease(then, tenant, actor, productId, input);
    if (publishedDaysAgo === null) continue;
    await publishRelease(then, tenant, actor, { productId, id });
    // People download a version in the first weeks.
    const days = Math.min(publishedDaysAgo, 60);
    const counts = Array.from({ length: days }, (_, later) => ({
      day: present.ago(publishedDaysAgo - later).slice(0, 10),
      count: random.integer(0, fields.channel === 'beta' ? 4 : 18),
    }));
    await createPastDownloads(tenant.db, id, counts);
  }
}

/** Issues a license to the demo's holder whose maintenance has ended, so that it permits the versions before that. */
export async function issueOldLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { present, catalog }: DemoProduct,
): Promise<void> {
  const policy = catalog.perpetual;
  const at = present.ago(400);
  const input = { holder: demoHolder, metadata: { demo: true } };
  const row = newLicense(policy, generateLicenseKey(policy.key_prefix), input, at, 'UTC');
  await transactWithEvents(services, tenant, (tx, outbox) =>
    issueCopies(services, tx, outbox, [row], { actor, at, publishes: false }),
  );
}
