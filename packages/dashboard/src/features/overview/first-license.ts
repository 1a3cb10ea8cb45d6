import { policySummary } from '../policies/summary.ts';
import { emptyPolicy, inputOf, type PolicyValues } from '../policies/values.ts';

type PolicyFields = Omit<ReturnType<typeof inputOf>, 'product_id'>;

/** A license model that a newcomer chooses from. */
export interface PolicyTemplate {
  readonly id: string;
  readonly title: string;
  /** What the policy means, in one sentence. */
  readonly summary: string;
  readonly fields: PolicyFields;
}

// The devices of each model are limited, so each requires that the application activates them.
const models: readonly Model[] = [
  ['One year', { code: 'yearly', duration_months: 12, grace_days: 14, max_activations: 3 }],
  ['Perpetual', { code: 'perpetual', maintenance_days: 365, max_activations: 3 }],
  ['Trial', { code: 'trial', duration_days: 14, expiry_basis: 'first_activation', max_activations: 1 }],
];

type Model = readonly [title: string, values: Partial<PolicyValues> & { readonly code: string }];

function templateOf([title, values]: Model): PolicyTemplate {
  const all = { ...emptyPolicy, require_activation: true, name: title, ...values };
  const { product_id: _product, ...fields } = inputOf(all, new Map());
  return { id: values.code, title, summary: policySummary(all), fields };
}

/** The license models that most vendors start with. */
export const policyTemplates: readonly PolicyTemplate[] = models.map(templateOf);

/** Returns a code made of a product's name: `My App 2` is `my-app-2`. */
export function codeOf(name: string): string {
  const code = name
    .normalize('NFKD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '')
    .slice(0, 64);
  return code === '' ? 'product' : code;
}

/** The device that the guide activates. */
export const firstDevice = { fingerprint: 'my-computer', name: 'My computer' } as const;

interface SnippetSubject {
  readonly baseUrl: string;
  readonly licenseKey: string;
  readonly product: string;
  readonly tenantId: string;
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
const wheel = 'licensing_sdk-1.4.0-py3-none-any.whl';

/**
 * Returns the commands that activate a device of a license and validate the license on it, with the installation of the
 * SDK that the service serves, and the public key with which the programs verify the answer. Only the API key comes from
 * the environment.
 */
export function completedSnippets({ baseUrl, licenseKey, product, tenantId }: SnippetSubject) {
  const downloads = `${baseUrl}/docs/downloads`;
  const fetchKey = `curl -sS ${baseUrl}/api/v1/tenants/${tenantId}/jwks.json -o jwks.json`;
  const { fingerprint, name } = firstDevice;
  return {
    curl: `curl -sS -o /dev/null ${baseUrl}/api/v1/integration/licenses/${licenseKey}/activations \\
  -H "X-API-Key: $LICENSING_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(firstDevice)}'
curl -sS ${baseUrl}/api/v1/integration/licenses/${licenseKey}/validate \\
  -H "X-API-Key: $LICENSING_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ product, fingerprint })}'`,
    typescript: `npm install ${downloads}/licensing-sdk.tgz
${fetchKey}
cat > validate.mts <<'PROGRAM'
import { LicensingClient, verifyVerdict } from '@licensing/sdk';
import jwks from './jwks.json' with { type: 'json' };

const baseUrl = ${quoted(baseUrl)};
const licensing = new LicensingClient({ baseUrl, apiKey: process.env.LICENSING_API_KEY ?? '' });
const licenseKey = ${quoted(licenseKey)};
const fingerprint = ${quoted(fingerprint)};
await licensing.activate(licenseKey, { fingerprint, name: ${quoted(name)} });
const question = { product: ${quoted(product)}, fingerprint, nonce: crypto.randomUUID() };
const answer = await licensing.validate(licenseKey, { ...question, proof: true });
const expected = { jwks, issuer: baseUrl, audience: ${quoted(tenantId)} };
const verdict = await verifyVerdict(answer, { ...question, licenseKey, ...expected });
console.log(verdict.valid, verdict.code);
PROGRAM
node validate.mts`,
    python: `python3 -m venv .venv && .venv/bin/pip install ${downloads}/${wheel}
${fetchKey}
cat > validate.py <<'PROGRAM'
import json
import os
import secrets
from licensing_sdk import LicensingClient, verify_verdict

base_url = ${quoted(baseUrl)}
client = LicensingClient(base_url=base_url, api_key=os.environ["LICENSING_API_KEY"])
license_key = ${quoted(licenseKey)}
fingerprint = ${quoted(fingerprint)}
client.activate(license_key, fingerprint=fingerprint, name=${quoted(name)})
question = {"product": ${quoted(product)}, "fingerprint": fingerprint, "nonce": secrets.token_hex(16)}
answer = client.validate(license_key, proof=True, **question)
expected = {"jwks": json.load(open("jwks.json")), "issuer": base_url, "audience": ${quoted(tenantId)}}
verdict = verify_verdict(answer, license_key=license_key, **question, **expected)
print(verdict["valid"], verdict["code"])
PROGRAM
.venv/bin/python validate.py`,
  };
}
