import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config/config.ts';

/** Writes the OpenAPI document that the service serves to standard output, with line breaks. */
const dataDir = mkdtempSync(join(tmpdir(), 'licensing-openapi-'));
try {
  const app = await buildApp(loadConfig({ DATA_DIR: dataDir }), { logger: pino({ level: 'silent' }) });
  const { statusCode, body } = await app.http.inject('/openapi.json');
  if (statusCode !== 200) throw new Error(`GET /openapi.json failed: ${body}`);
  process.stdout.write(`${JSON.stringify(JSON.parse(body), null, 2)}\n`);
  await app.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
