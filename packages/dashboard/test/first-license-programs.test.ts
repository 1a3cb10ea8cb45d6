import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audience, FakeService, issuer, jwks, licenseKey } from '../../sdk/conformance/guard/fake-service.ts';
import { type HttpService, startHttpService } from '../../sdk/conformance/guard/http-service.ts';
import { completedSnippets } from '../src/features/overview/first-license.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
let http: HttpService;
let folder: string;

beforeAll(async () => {
  http = await startHttpService();
  http.service = new FakeService(Date.now);
  folder = mkdtempSync(join(tmpdir(), 'licensing-first-'));
  const sdk = join(folder, 'node_modules/@licensing/sdk');
  mkdirSync(sdk, { recursive: true });
  symlinkSync(join(root, 'packages/sdk/src'), join(sdk, 'src'));
  writeFileSync(join(sdk, 'package.json'), '{ "type": "module", "exports": "./src/index.ts" }');
  writeFileSync(join(folder, 'jwks.json'), JSON.stringify(jwks));
});

afterAll(async () => {
  await http.stop();
  rmSync(folder, { recursive: true });
});

test.each([
  ['typescript', 'validate.mts', process.execPath, 'true LICENSE.VALID'],
  ['python', 'validate.py', '/usr/bin/python3', 'True LICENSE.VALID'],
] as const)(
  'the program in %s activates the device and proves the verdict',
  async (language, name, command, output) => {
    const snippets = completedSnippets({ baseUrl: http.origin, licenseKey, product: 'editor', tenantId: audience });
    const [, program = ''] = /<<'PROGRAM'\n([\s\S]*?)\nPROGRAM/.exec(snippets[language]) ?? [];
    // The service of the test has another address than the one that it signs.
    const signed = program.replace(/issuer: baseUrl|"issuer": base_url/, `"issuer": "${issuer}"`);
    writeFileSync(join(folder, name), signed);
    const sdk = { PYTHONPATH: join(root, 'sdks/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
    const env = { ...process.env, ...sdk, LICENSING_API_KEY: `vx_${'0'.repeat(64)}` };
    const { stdout } = await run(command, [name], { cwd: folder, env });
    expect(stdout.trim()).toBe(output);
  },
);
