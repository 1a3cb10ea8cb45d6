import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config/config.ts';

const lineWidth = 120;

/**
 * Formats JSON with as many items on each line as fit there, so that a change of it is readable. Nothing is indented:
 * indentation would be a tenth of the document.
 */
function format(value: unknown, column: number): string {
  const text = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || column + text.length < lineWidth) return text;
  const isList = Array.isArray(value);
  const lines: string[] = [];
  let line = '';
  for (const [name, item] of Object.entries(value)) {
    const start = isList ? '' : `${JSON.stringify(name)}:`;
    const short = start + JSON.stringify(item);
    if (line !== '' && line.length + short.length < lineWidth) {
      line += `,${short}`;
      continue;
    }
    if (line !== '') lines.push(line);
    line = start + format(item, start.length);
    if (!line.includes('\n')) continue;
    lines.push(line);
    line = '';
  }
  if (line !== '') lines.push(line);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return `${open}\n${lines.join(',\n')}\n${close}`;
}

/** Writes the OpenAPI document that the service serves to standard output, with line breaks. */
const dataDir = mkdtempSync(join(tmpdir(), 'licensing-openapi-'));
try {
  const app = await buildApp(loadConfig({ DATA_DIR: dataDir }), { logger: pino({ level: 'silent' }) });
  const { statusCode, body } = await app.http.inject('/openapi.json');
  if (statusCode !== 200) throw new Error(`GET /openapi.json failed: ${body}`);
  process.stdout.write(`${format(JSON.parse(body), 0)}\n`);
  await app.close();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
