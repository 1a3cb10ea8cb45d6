import { inParallel } from '../packages/server/src/lib/in-parallel.ts';
import { fillTenant } from './bulk.ts';
import { activationCopies, copyFingerprint, copyKey, licenseCopies } from './data.ts';
import {
  type Applicant,
  countOneUse,
  createApplicant,
  oneOfEachType,
  readTemplates,
  type Site,
  withSite,
} from './site.ts';

const tenants = 3;
const licensesPerTenant = 300;

/** How the rows name this load. */
export const crowdName = `${licensesPerTenant} licenses × ${tenants} tenants`;

/** The number of counters that are created at the same time. */
const countedAtOnce = 32;

/**
 * Creates tenants with activated licenses: real traffic instead of one license over and over. Each tenant has its own
 * API key. In the returned order consecutive applicants differ in tenant and license. The site must not be served.
 */
export async function createCrowd(site: Site, kind: 'plain' | 'metered'): Promise<Applicant[]> {
  const originals = await withSite(site, async (services) => {
    const created: (Applicant & Awaited<ReturnType<typeof readTemplates>>)[] = [];
    for (let tenant = 1; tenant <= tenants; tenant += 1) {
      const policy = kind === 'metered' ? oneOfEachType : {};
      const applicant = await createApplicant(services, `Crowd ${tenant}, ${kind}`, policy);
      created.push({ ...applicant, ...(await readTemplates(services, applicant)) });
    }
    return created;
  });
  for (const { tenantId, license, activation } of originals) {
    await fillTenant(site, tenantId, [
      licenseCopies(license, licensesPerTenant),
      activationCopies(activation, licensesPerTenant, 1),
    ]);
  }
  const copies = Array.from({ length: licensesPerTenant }, (_, index) => index + 1);
  return copies.flatMap((copy) =>
    originals.map(({ tenantId, apiKey }) => ({
      tenantId,
      apiKey,
      licenseKey: copyKey(copy),
      fingerprint: copyFingerprint(copy),
    })),
  );
}

/** Returns the ids of the tenants of a crowd. */
export function tenantsOf(crowd: readonly Applicant[]): string[] {
  return [...new Set(crowd.map(({ tenantId }) => tenantId))];
}

/** Reports usage for each license, so that each verdict reads a counter. */
export async function countUseOfEach(port: number, crowd: readonly Applicant[]): Promise<void> {
  await inParallel(crowd, countedAtOnce, (applicant) => countOneUse(port, applicant));
}
