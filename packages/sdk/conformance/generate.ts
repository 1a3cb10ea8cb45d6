// Writes the cases that contain signatures. They are not in git: `node scripts/generated.mjs` runs this.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintCases } from './generator/fingerprints.ts';
import { guardCases, updateCases } from './generator/guard.ts';
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
  updates: await updateCases(),
};

for (const [name, cases] of Object.entries(generated)) {
  const path = join(import.meta.dirname, 'cases', `${name}.json`);
  const isOfGuard = name === 'guard' || name === 'updates';
  const text = isOfGuard ? linesOf(cases) : `${JSON.stringify({ cases }, null, 1)}\n`;
  writeFileSync(path, text);
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
