import { statSync } from 'node:fs';
import { tenantFile } from '../packages/server/src/tenancy/placement.ts';
import { fillTenant } from './bulk.ts';
import { activationCopies, copyFingerprint, copyKey, licenseCopies } from './data.ts';
import { type Contestant, compare } from './measure.ts';
import { type ServerProcess, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  createSite,
  raiseCeilings,
  readTemplates,
  type Site,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, type Row } from './table.ts';

const manyLicenses = 1_000_000;
const fewLicenses = 1000;
/** Number of activated licenses in the load, over the whole range: far more than a round validates. */
const askedLicenses = 100_000;
const leastShare = 0.9;

/** Compares `validate` on a tenant with a million licenses, every tenth activated, with a tenant with a thousand. */
export async function benchmarkScale(): Promise<Row[]> {
  const site = await createSite();
  try {
    const many = await createTenantOf(site, manyLicenses);
    const few = await createTenantOf(site, fewLicenses);
    const server = await startService(site);
    await raiseCeilings(server.port, [many.tenantId, few.tenantId]);
    const comparison = await compare(contestant(server, many, manyLicenses), contestant(server, few, fewLicenses));
    await server.stop();
    const mib = Math.round(statSync(tenantFile(site.dataDir, many.tenantId)).size / 2 ** 20);
    return [comparisonRow(`validate, 1,000,000 licenses (${mib} MiB) against 1,000`, comparison, leastShare)];
  } finally {
    await site.remove();
  }
}

async function createTenantOf(site: Site, licenses: number): Promise<Applicant> {
  const { applicant, license, activation } = await withSite(site, async (services) => {
    if (licenses === manyLicenses) await createAdmin(services);
    const created = await createApplicant(services, `${licenses} licenses`);
    return { applicant: created, ...(await readTemplates(services, created)) };
  });
  const copies = [licenseCopies(license, licenses), activationCopies(activation, licenses, strideOf(licenses))];
  await fillTenant(site, applicant.tenantId, copies);
  return applicant;
}

const strideOf = (licenses: number) => Math.max(1, licenses / askedLicenses);

function contestant(server: ServerProcess, applicant: Applicant, licenses: number): Contestant {
  const stride = strideOf(licenses);
  const asked = licenses / stride;
  const requests = Array.from({ length: asked }, () => 1 + Math.floor(Math.random() * asked)).map((copy) => {
    const asking = { licenseKey: copyKey(copy * stride), fingerprint: copyFingerprint(copy) };
    return validateRequest(server.port, { ...applicant, ...asking });
  });
  return { server, requests };
}
