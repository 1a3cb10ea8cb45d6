import { existsSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { tenantFile } from '../packages/server/src/tenancy/placement.ts';
import { copyOf, crowdName, fillTenant, licenseCopies, serveCrowd, tenantsOf } from './data.ts';
import { type Contestant, compare } from './measure.ts';
import { type ServerProcess, startPeer, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  createSite,
  fetchVerdict,
  raiseCeilings,
  readTemplates,
  type Site,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, type Row } from './table.ts';

const manyLicenses = 1_000_000;
const fewLicenses = 1000;
const millionShare = 0.9;
const peersFolder = join(import.meta.dirname, 'peers');

function contestant(server: ServerProcess, crowd: readonly Applicant[]): Contestant {
  return { server, requests: crowd.map((applicant) => validateRequest(server.port, applicant)) };
}

/** Compares `validate` at random on a tenant with a million licenses with a tenant with a thousand, all activated. */
export async function benchmarkMillion(): Promise<Row[]> {
  const site = await createSite();
  try {
    await withSite(site, createAdmin);
    const many = await createTenantOf(site, manyLicenses);
    const few = await createTenantOf(site, fewLicenses);
    const server = await startService(site);
    await raiseCeilings(server.port, [many.tenantId, few.tenantId]);
    const comparison = await compare(atRandom(server, many, manyLicenses), atRandom(server, few, fewLicenses));
    await server.stop();
    const mib = Math.round(statSync(tenantFile(site.dataDir, many.tenantId)).size / 2 ** 20);
    return [comparisonRow(`validate, 1,000,000 licenses (${mib} MiB) against 1,000`, comparison, millionShare)];
  } finally {
    await site.remove();
  }
}

async function createTenantOf(site: Site, licenses: number): Promise<Applicant> {
  const { applicant, templates } = await withSite(site, async (services) => {
    const created = await createApplicant(services, `${licenses} licenses`);
    return { applicant: created, templates: await readTemplates(services, created) };
  });
  await fillTenant(site, applicant.tenantId, licenseCopies(templates, licenses));
  return applicant;
}

/** Validates a license of the tenant at random with each request. */
function atRandom(server: ServerProcess, applicant: Applicant, licenses: number): Contestant {
  const requests = () => {
    const copy = copyOf(1 + Math.floor(Math.random() * licenses));
    return validateRequest(server.port, { ...applicant, ...copy });
  };
  return { server, requests };
}

/** Compares `validate` with what a developer would otherwise choose or write. */
export async function benchmarkPeers(): Promise<Row[]> {
  if (!existsSync(join(peersFolder, 'node_modules'))) {
    throw new Error('The peers are not installed: run "npm ci --ignore-scripts" in bench/peers.');
  }
  const site = await createSite();
  try {
    const { server, crowd, first } = await serveCrowd(site);
    const answer = await fetchVerdict(server.port, first);
    const rows: Row[] = [];
    for (const peer of ['better-auth', 'express']) {
      const other = await startPeerFor(peer, site, crowd, answer);
      const comparison = await compare(contestant(server, crowd), other);
      await other.server.stop();
      rows.push(comparisonRow(`validate, ${crowdName}, against ${peer}`, comparison, null));
    }
    await server.stop();
    return rows;
  } finally {
    await site.remove();
  }
}

/** Starts a peer with the licenses of the crowd, and asks it with its own API keys. */
async function startPeerFor(peer: string, site: Site, crowd: readonly Applicant[], answer: object) {
  const tenantIds = tenantsOf(crowd);
  const server = await startPeer(join(peersFolder, `${peer}.mjs`), {
    folder: await mkdtemp(join(site.dataDir, 'peer-')),
    answer,
    tenants: tenantIds.map((id) => ({
      licenseKeys: crowd.filter(({ tenantId }) => tenantId === id).map(({ licenseKey }) => licenseKey),
    })),
  });
  const keys = (await (await fetch(`http://127.0.0.1:${server.port}/keys`)).json()) as string[];
  const asking = crowd.map((applicant) => ({
    ...applicant,
    apiKey: keys[tenantIds.indexOf(applicant.tenantId)] ?? '',
  }));
  return contestant(server, asking);
}
