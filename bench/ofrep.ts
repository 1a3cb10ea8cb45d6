import { createFlag } from '../packages/server/src/features/operations/feature-flags/service.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import { type Contestant, compare } from './measure.ts';
import { startFloor, startService } from './processes.ts';
import { createAdmin, createApplicant, createSite, raiseCeilings, withSite } from './site.ts';
import { comparisonRow, type Row } from './table.ts';

const flags = 50;
const path = '/ofrep/v1/evaluate/flags';
const context = { email: 'ada@example.com', country: 'gb', version: '2.4.1', roles: ['beta', 'editor'] };
const target = 0.3;

/** A typical mix: static flags, and flags by plan, by fraction, by version and by list. */
function definitionOf(index: number): Record<string, unknown> {
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' };
  const rules = [
    undefined,
    { if: [{ in: [{ var: 'plan' }, ['team', 'free']] }, 'on', 'off'] },
    {
      fractional: [
        ['on', 10],
        ['off', 90],
      ],
    },
    { if: [{ sem_ver: [{ var: 'version' }, '>=', '2.0.0'] }, 'on'] },
    { if: [{ and: [{ ends_with: [{ var: 'email' }, '@example.com'] }, { in: ['beta', { var: 'roles' }] }] }, 'on'] },
  ];
  const targeting = rules[index % rules.length];
  return targeting === undefined ? flag : { ...flag, targeting };
}

/** Measures bulk evaluation of 50 flags over OFREP, four fifths of them targeted, against a bare Fastify route. */
export async function benchmarkOfrep(): Promise<Row[]> {
  const site = await createSite();
  try {
    const applicant = await withSite(site, async (services) => {
      await createAdmin(services);
      for (let index = 0; index < flags; index += 1) {
        const key = `flag-${String(index).padStart(2, '0')}`;
        await createFlag(services, systemActor, { key, definition: definitionOf(index) });
      }
      return await createApplicant(services, 'Flags');
    });
    const service = await startService(site);
    await raiseCeilings(service.port, [applicant.tenantId]);
    const body = JSON.stringify({ context });
    const headers = { 'content-type': 'application/json', 'x-api-key': applicant.apiKey };
    const response = await fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    const floor = await startFloor('floor-flags', { answer: JSON.parse(text), path });
    const end = Buffer.from(text.slice(-40));
    const contestant = (server: typeof floor): Contestant => ({
      server,
      requests: [requestTo(server.port, applicant.apiKey, body)],
      expected: [Buffer.from('HTTP/1.1 200 OK\r\n'), Buffer.from(text.slice(0, 200))],
      end,
    });
    const comparison = await compare(contestant(service), contestant(floor));
    await Promise.all([service.stop(), floor.stop()]);
    return [comparisonRow(`OFREP bulk evaluation of ${flags} flags`, comparison, target)];
  } finally {
    await site.remove();
  }
}

function requestTo(port: number, apiKey: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `X-API-Key: ${apiKey}`,
    'Content-Type: application/json',
    'Accept: application/json',
    'User-Agent: bench/1',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
