import { type Contestant, compare } from './measure.ts';
import { startFloor, startService } from './processes.ts';
import {
  countOneUse,
  createAdmin,
  createApplicant,
  createSite,
  fetchVerdict,
  oneOfEachType,
  raiseCeilings,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, type Row } from './table.ts';

const usual = { level: 'info', simplified: false, metered: false } as const;

const variants = [
  { ...usual, name: 'validate, embedded', target: 0.55 },
  { ...usual, name: 'validate, embedded, LOG_LEVEL=warn', level: 'warn', target: null },
  { ...usual, name: 'validate, embedded, floor serialises as we do', simplified: true, target: null },
  { ...usual, name: 'validate, embedded, three entitlements, one metered', metered: true, target: 0.45 },
] as const;

/** Measures `validate` on the embedded engine against a bare Fastify route. */
export async function benchmarkEmbedded(): Promise<Row[]> {
  const rows: Row[] = [];
  const site = await createSite();
  try {
    const applicants = await withSite(site, async (services) => {
      await createAdmin(services);
      const plain = await createApplicant(services, 'Acme');
      return { plain, metered: await createApplicant(services, 'Metered', oneOfEachType) };
    });
    for (const { name, level, simplified, metered, target } of variants) {
      const applicant = metered ? applicants.metered : applicants.plain;
      const service = await startService(site, { LOG_LEVEL: level });
      await raiseCeilings(service.port, [applicant.tenantId]);
      if (metered) await countOneUse(service.port, applicant);
      const floor = await startFloor('floor', { answer: await fetchVerdict(service.port, applicant), simplified });
      const contestant = (server: typeof floor): Contestant => ({
        server,
        requests: [validateRequest(server.port, applicant)],
      });
      rows.push(comparisonRow(name, await compare(contestant(service), contestant(floor)), target));
      await Promise.all([service.stop(), floor.stop()]);
    }
    return rows;
  } finally {
    await site.remove();
  }
}
