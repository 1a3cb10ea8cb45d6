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
const leastShare = 0.9;

/** Compares `validate` at random on a tenant with a million licenses with a tenant with a thousand, all activated. */
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
    return [comparisonRow(`validate, 1,000,000 licenses (${mib} MiB) at random against 1,000`, comparison, leastShare)];
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
  const copies = [licenseCopies(license, licenses), activationCopies(activation, licenses, 1)];
  await fillTenant(site, applicant.tenantId, copies);
  return applicant;
}

/** Validates a license of the tenant at random with each request. */
function contestant(server: ServerProcess, applicant: Applicant, licenses: number): Contestant {
  const requests = () => {
    const copy = 1 + Math.floor(Math.random() * licenses);
    const asking = { licenseKey: copyKey(copy), fingerprint: copyFingerprint(copy) };
    return validateRequest(server.port, { ...applicant, ...asking });
  };
  return { server, requests };
}
