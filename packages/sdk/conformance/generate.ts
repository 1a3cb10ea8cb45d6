// Generates the cases that contain signatures: `node generate.ts` writes them, `node generate.ts --check` compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintCases } from './generator/fingerprints.ts';
import { guardCases } from './generator/guard.ts';
import { offlineFileCases } from './generator/offline-files.ts';
import { certificateCases, type OfflineCase, verdictCases } from './generator/tokens.ts';
import { webhookCases } from './generator/webhooks.ts';
import type { GuardCase } from './runner/guard-cases.ts';

const generated: Readonly<Record<string, readonly (OfflineCase | GuardCase)[]>> = {
  certificates: certificateCases(),
  verdicts: verdictCases(),
  webhooks: webhookCases(),
  fingerprints: fingerprintCases(),
  'offline-files': offlineFileCases(),
  guard: await guardCases(),
};

for (const [name, cases] of Object.entries(generated)) {
  const path = join(import.meta.dirname, 'cases', `${name}.json`);
  const text = name === 'guard' ? linesOf(cases) : `${JSON.stringify({ cases }, null, 1)}\n`;
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(
      `${path} is not what the generator makes: run \`node packages/sdk/conformance/generate.ts\`.\n`,
    );
    process.exitCode = 1;
  }
}

/** Returns the cases with one line for each step, so that a person can read a sequence. */
function linesOf(cases: readonly object[]): string {
  const texts = cases.map((one) => {
    const { steps = [], ...others } = one as Partial<GuardCase>;
    const lines = steps.map((step) => `    ${JSON.stringify(step)}`).join(',\n');
    return `  ${JSON.stringify(others).slice(0, -1)}, "steps": [\n${lines}\n  ]}`;
  });
  return `{"cases": [\n${texts.join(',\n')}\n]}\n`;
}
