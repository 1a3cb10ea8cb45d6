import { type Contestant, compare } from './measure.ts';
import { startFloor, startService } from './processes.ts';
import {
  createAdmin,
  createApplicant,
  createSite,
  fetchVerdict,
  raiseCeilings,
  validateRequest,
  withSite,
} from './site.ts';
import { comparisonRow, type Row } from './table.ts';

const variants = [
  { name: 'validate, embedded', level: 'info', simplified: false, target: 0.55 },
  { name: 'validate, embedded, LOG_LEVEL=warn', level: 'warn', simplified: false, target: null },
  { name: 'validate, embedded, floor serialises as we do', level: 'info', simplified: true, target: null },
] as const;

/** `validate` on the embedded engine against a bare Fastify route. */
export async function benchmarkEmbedded(): Promise<Row[]> {
  const rows: Row[] = [];
  const site = await createSite();
  try {
    const applicant = await withSite(site, async (services) => {
      await createAdmin(services);
      return createApplicant(services, 'Acme');
    });
    for (const { name, level, simplified, target } of variants) {
      const service = await startService(site, { LOG_LEVEL: level });
      await raiseCeilings(service.port, [applicant.tenantId]);
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
