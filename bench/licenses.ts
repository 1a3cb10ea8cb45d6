import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cpuSeconds, residentKib, type ServerProcess, startService } from './processes.ts';
import { adminToken, createAdmin, createApplicant, createSite, withSite } from './site.ts';
import { perSecond, type Row } from './table.ts';

const licenses = 100_000;
const importTarget = 20_000;
const exportTarget = 50_000;
const sampleEveryMs = 20;

/** Measures the import of 100,000 licenses from one file, and their export. */
export async function benchmarkLicenses(): Promise<Row[]> {
  const site = await createSite();
  try {
    const { tenantId } = await withSite(site, async (services) => {
      await createAdmin(services);
      return await createApplicant(services, 'Files');
    });
    const file = join(site.dataDir, 'licenses.csv');
    await writeFile(file, licensesFile(licenses));
    const service = await startService(site);
    const token = await adminToken(service.port);
    const rows = [
      await measured(service, `import of ${licenses} licenses, CSV`, importTarget, () =>
        importFile(service.port, token, { tenantId, file }),
      ),
    ];
    for (const format of ['csv', 'ndjson']) {
      rows.push(
        await measured(service, `export of ${licenses} licenses, ${format}`, exportTarget, async () => {
          const sent = licensesRequest(service.port, token, tenantId, {
            method: 'GET',
            url: `/export?format=${format}`,
          });
          const [response] = await once(sent.end(), 'response');
          response.resume();
          await once(response, 'end');
        }),
      );
    }
    await service.stop();
    return rows;
  } finally {
    await site.remove();
  }
}

interface LicensesCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
}

function licensesRequest(port: number, token: string, tenantId: string, { method, url }: LicensesCall): ClientRequest {
  return request({
    port,
    method,
    path: `/api/v1/admin/tenants/${tenantId}/licenses${url}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
  });
}

/** Imports a file through the admin surface. Throws unless every row is created. */
export async function importFile(
  port: number,
  token: string,
  { tenantId, file }: { readonly tenantId: string; readonly file: string },
): Promise<void> {
  const sent = licensesRequest(port, token, tenantId, { method: 'POST', url: '/import' });
  createReadStream(file).pipe(sent);
  const [response] = await once(sent, 'response');
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`The import failed: ${answer}`);
}

/** Returns a CSV file of licenses. Files with different prefixes have different keys. */
export function licensesFile(count: number, prefix = 'KEY'): string {
  const lines = ['policy,key,holder_name,holder_email,expires_at,max_activations,metadata'];
  for (let index = 0; index < count; index += 1) {
    // Keys in random order, as in files of other services.
    const key = `${prefix}-${((index * 7_919) % 1_000_003).toString(36)}-${index}`;
    const expiresAt = `2030-01-${String((index % 28) + 1).padStart(2, '0')}T00:00:00Z`;
    lines.push(
      `yearly,${key},Holder ${index},holder${index}@example.com,${expiresAt},${index % 10},"{""n"":${index}}"`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Measures `work` in the service: rows per second, CPU time, and peak resident memory. */
async function measured({ pid }: ServerProcess, name: string, target: number, work: () => Promise<void>): Promise<Row> {
  const before = residentKib(pid);
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, residentKib(pid));
  }, sampleEveryMs);
  const [startedAt, cpuBefore] = [performance.now(), cpuSeconds(pid)];
  try {
    await work();
  } finally {
    clearInterval(sampler);
  }
  const rowsPerSecond = licenses / ((performance.now() - startedAt) / 1000);
  const cpuMicros = ((cpuSeconds(pid) - cpuBefore) * 1e6) / licenses;
  return {
    name,
    ours: `${perSecond(rowsPerSecond)} (${cpuMicros.toFixed(1)} µs CPU, peak ${Math.round(peak / 1024)} MiB)`,
    floor: `${Math.round(before / 1024)} MiB before`,
    ratio: '-',
    target: `≥ ${perSecond(target)}`,
    verdict: rowsPerSecond >= target ? 'ok' : 'short',
  };
}
