import { statSync } from 'node:fs';
import { tenantFile } from '../packages/server/src/tenancy/placement.ts';
import { copyOf, createCrowd, crowdName, fillTenant, licenseCopies, tenantsOf } from './data.ts';
import { type Comparison, type Contestant, compare, compareRounds } from './measure.ts';
import { type ServerProcess, startFloor, startService } from './processes.ts';
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
import { runWrk } from './wrk.ts';

const floorShare = 0.5;
const manyLicenses = 1_000_000;
const fewLicenses = 1000;
const millionShare = 0.9;

/** Measures `validate` on the embedded engine against a bare Fastify route. */
export async function benchmarkValidate(): Promise<Row[]> {
  const site = await createSite();
  try {
    await withSite(site, createAdmin);
    const crowd = await createCrowd(site);
    const name = `validate, embedded, ${crowdName}`;
    const throughWrk = await againstFloor(site, crowd, { LOG_LEVEL: 'warn' }, (ours, floor) =>
      compareRounds(
        (durationMs) => runWrk(ours, durationMs),
        (durationMs) => runWrk(floor, durationMs),
      ),
    );
    return [
      comparisonRow(name, await againstFloor(site, crowd, {}, compare), floorShare),
      comparisonRow(`${name}, wrk, LOG_LEVEL=warn`, throughWrk, floorShare),
    ];
  } finally {
    await site.remove();
  }
}

async function againstFloor(
  site: Site,
  crowd: readonly Applicant[],
  env: NodeJS.ProcessEnv,
  run: typeof compare,
): Promise<Comparison> {
  const [applicant] = crowd;
  if (applicant === undefined) throw new Error('There is nobody to ask for.');
  const service = await startService(site, env);
  await raiseCeilings(service.port, tenantsOf(crowd));
  const floor = await startFloor('floor', { answer: await fetchVerdict(service.port, applicant) });
  const contestant = (server: ServerProcess): Contestant => ({
    server,
    requests: crowd.map((one) => validateRequest(server.port, one)),
  });
  const comparison = await run(contestant(service), contestant(floor));
  await Promise.all([service.stop(), floor.stop()]);
  return comparison;
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
