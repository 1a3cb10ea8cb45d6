// Generates the cases that contain signatures: `node generate.ts` writes them, `node generate.ts --check` compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintCases, webhookCases } from './generator/digests.ts';
import { offlineFileCases } from './generator/offline-files.ts';
import { certificateCases, type OfflineCase, verdictCases } from './generator/tokens.ts';

const generated: Readonly<Record<string, readonly OfflineCase[]>> = {
  certificates: certificateCases(),
  verdicts: verdictCases(),
  webhooks: webhookCases(),
  fingerprints: fingerprintCases(),
  'offline-files': offlineFileCases(),
};

for (const [name, cases] of Object.entries(generated)) {
  const path = join(import.meta.dirname, 'cases', `${name}.json`);
  const text = `${JSON.stringify({ cases }, null, 1)}\n`;
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(
      `${path} is not what the generator makes: run \`node packages/sdk/conformance/generate.ts\`.\n`,
    );
    process.exitCode = 1;
  }
}
