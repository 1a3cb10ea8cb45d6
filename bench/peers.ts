import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createCrowd, crowdName, tenantsOf } from './data.ts';
import { type Contestant, compare } from './measure.ts';
import { type ServerProcess, startPeer, startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createSite,
  fetchVerdict,
  raiseCeilings,
  type Site,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, type Row } from './table.ts';

const folder = join(import.meta.dirname, 'peers');

/** Compares `validate` with what a developer would otherwise choose or write. */
export async function benchmarkPeers(): Promise<Row[]> {
  if (!existsSync(join(folder, 'node_modules'))) {
    throw new Error('The peers are not installed: run "npm ci --ignore-scripts" in bench/peers.');
  }
  const site = await createSite();
  try {
    await withSite(site, createAdmin);
    const crowd = await createCrowd(site);
    const service = await startService(site);
    await raiseCeilings(service.port, tenantsOf(crowd));
    const name = `validate, ${crowdName}, against`;
    const rows = [
      await compareWith('better-auth', `${name} better-auth's API keys`, { site, service, crowd }),
      await compareWith('express', `${name} a hand-made Express gateway without writes`, { site, service, crowd }),
    ];
    await service.stop();
    return rows;
  } finally {
    await site.remove();
  }
}

interface Stage {
  readonly site: Site;
  readonly service: ServerProcess;
  readonly crowd: readonly Applicant[];
}

async function compareWith(peer: string, name: string, { site, service, crowd }: Stage): Promise<Row> {
  const [first] = crowd;
  if (first === undefined) throw new Error('There is nobody to ask for.');
  const tenantIds = tenantsOf(crowd);
  const other = await startPeer(join(folder, `${peer}.mjs`), {
    folder: await mkdtemp(join(site.dataDir, 'peer-')),
    answer: await fetchVerdict(service.port, first),
    tenants: tenantIds.map((id) => ({
      licenseKeys: crowd.filter(({ tenantId }) => tenantId === id).map(({ licenseKey }) => licenseKey),
    })),
  });
  const keys = (await (await fetch(`http://127.0.0.1:${other.port}/keys`)).json()) as string[];
  const theirs = crowd.map((applicant) => {
    const apiKey = keys[tenantIds.indexOf(applicant.tenantId)] ?? '';
    return validateRequest(other.port, { ...applicant, apiKey });
  });
  const ours: Contestant = {
    server: service,
    requests: crowd.map((applicant) => validateRequest(service.port, applicant)),
  };
  const comparison = await compare(ours, { server: other, requests: theirs });
  await other.stop();
  return comparisonRow(name, comparison, null);
}
