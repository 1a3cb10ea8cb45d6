import { newId } from '../packages/server/src/lib/ids.ts';
import { fillTenant } from './bulk.ts';
import { copyKey, licenseCopies } from './data.ts';
import { countedUsage } from './load.ts';
import { type Contestant, medianRound, type Round, runRound, warmUpMs } from './measure.ts';
import { startService } from './processes.ts';
import {
  type Applicant,
  createAdmin,
  createApplicant,
  createSite,
  integrationRequest,
  meteredCode,
  oneOfEachType,
  raiseCeilings,
  readTemplates,
  type Site,
  withSite,
} from './site.ts';
import { type Row, rateRow } from './table.ts';

const licenses = 1000;
const batchSize = 100;
const rounds = 3;
/** Target in events per second. */
const target = 20_000;

/** Measures durable usage events over HTTP, in batches, spread over many licenses. */
export async function benchmarkUsage(): Promise<Row[]> {
  const site = await createSite();
  try {
    const applicant = await prepare(site);
    const server = await startService(site);
    await raiseCeilings(server.port, [applicant.tenantId]);
    let sent = 0;
    const contestant = (isKeyed: boolean): Contestant => ({
      server,
      requests: () => {
        sent += 1;
        return batch(server.port, { ...applicant, licenseKey: copyKey(1 + (sent % licenses)) }, isKeyed);
      },
      expected: countedUsage(batchSize),
    });
    const contests = [
      { name: `usage, embedded, batches of ${batchSize}`, contestant: contestant(false) },
      { name: 'the same with an idempotency key per event', contestant: contestant(true) },
    ].map((contest) => ({ ...contest, results: [] as Round[] }));
    for (const contest of contests) await runRound(contest.contestant, warmUpMs);
    for (let round = 0; round < rounds; round += 1) {
      for (const contest of contests) contest.results.push(perEvent(await runRound(contest.contestant)));
    }
    await server.stop();
    return contests.map(({ name, results }) => rateRow(name, medianRound(results), target));
  } finally {
    await site.remove();
  }
}

async function prepare(site: Site): Promise<Applicant> {
  const { applicant, license } = await withSite(site, async (services) => {
    await createAdmin(services);
    const made = await createApplicant(services, 'Meter', oneOfEachType);
    return { applicant: made, license: (await readTemplates(services, made)).license };
  });
  await fillTenant(site, applicant.tenantId, [licenseCopies(license, licenses)]);
  return applicant;
}

function batch(port: number, { apiKey, licenseKey }: Applicant, isKeyed: boolean): Buffer {
  const events = Array.from({ length: batchSize }, (_, index) => ({
    entitlement: meteredCode,
    quantity: 1 + index,
    ...(isKeyed && { idempotency_key: newId() }),
  }));
  return integrationRequest(port, apiKey, `/licenses/${licenseKey}/usage`, { events });
}

function perEvent({ perSecond, cpuMicros, cpuShare }: Round): Round {
  return { perSecond: perSecond * batchSize, cpuMicros: cpuMicros / batchSize, cpuShare };
}
