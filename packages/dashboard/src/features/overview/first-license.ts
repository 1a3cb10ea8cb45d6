import type { components } from '../../api/schema.gen.ts';

type PolicyFields = Omit<components['schemas']['CreatePolicy'], 'product_id'>;

/** A license model that a newcomer chooses from. */
export interface PolicyTemplate {
  readonly id: string;
  readonly title: string;
  /** What the policy means, in one sentence. */
  readonly summary: string;
  readonly fields: PolicyFields;
}

/** The license models that most vendors start with. */
export const policyTemplates: readonly [PolicyTemplate, ...PolicyTemplate[]] = [
  {
    id: 'yearly',
    title: 'One year',
    summary: 'Valid for one year, on up to 3 devices, then 14 days of grace.',
    fields: { code: 'yearly', name: 'One year', duration_days: 365, grace_days: 14, max_activations: 3 },
  },
  {
    id: 'perpetual',
    title: 'Perpetual',
    summary: 'Valid forever, on up to 3 devices, with updates for one year.',
    fields: { code: 'perpetual', name: 'Perpetual', maintenance_days: 365, max_activations: 3 },
  },
  {
    id: 'trial',
    title: 'Trial',
    summary: 'Valid for 14 days from the first check, on one device.',
    fields: {
      code: 'trial',
      name: 'Trial, 14 days',
      duration_days: 14,
      expiry_basis: 'first_validation',
      max_activations: 1,
    },
  },
];

/** Returns a code made of a product's name: `My App 2` is `my-app-2`. */
export function codeOf(name: string): string {
  const code = name
    .normalize('NFKD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64);
  return code === '' ? 'product' : code;
}

interface SnippetSubject {
  readonly baseUrl: string;
  readonly licenseKey: string;
  readonly product: string;
}

const quoted = (text: string) => JSON.stringify(text);

/** Returns the command that gives the shell the API key, for the snippets. Without a key, it says what belongs there. */
export function keyCommand(apiKey: string | null): string {
  return `export LICENSING_API_KEY=${apiKey ?? "'paste your API key here'"}`;
}

/** Returns the beginning of a key, for the screen. */
export function maskedKey(apiKey: string): string {
  return `${apiKey.slice(0, 7)}…`;
}

/** The wheel of the Python SDK below `/docs/downloads/`. */
const wheel = 'licensing_sdk-1.0.0-py3-none-any.whl';

/**
 * Returns the commands that validate a license, with the installation of the SDK that the service serves. Only the API key
 * comes from the environment.
 */
export function completedSnippets({ baseUrl, licenseKey, product }: SnippetSubject) {
  const downloads = `${baseUrl}/docs/downloads`;
  return {
    curl: `curl -X POST ${baseUrl}/api/v1/integration/licenses/${licenseKey}/validate \\
  -H "X-API-Key: $LICENSING_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ product })}'`,
    typescript: `npm install ${downloads}/licensing-sdk.tgz
cat > validate.mts <<'PROGRAM'
import { LicensingClient } from '@licensing/sdk';

const licensing = new LicensingClient({
  baseUrl: ${quoted(baseUrl)},
  apiKey: process.env.LICENSING_API_KEY ?? '',
});
const verdict = await licensing.validate(${quoted(licenseKey)}, { product: ${quoted(product)} });
console.log(verdict.valid, verdict.code);
PROGRAM
node validate.mts`,
    python: `python3 -m venv .venv && .venv/bin/pip install ${downloads}/${wheel}
cat > validate.py <<'PROGRAM'
import os
from licensing_sdk import LicensingClient

client = LicensingClient(base_url=${quoted(baseUrl)}, api_key=os.environ["LICENSING_API_KEY"])
verdict = client.validate(${quoted(licenseKey)}, product=${quoted(product)})
print(verdict["valid"], verdict["code"])
PROGRAM
.venv/bin/python validate.py`,
  };
}
