import type { SdkCode as CodeOfSdk, ProofReason, RefusalReason } from '../../../sdk/src/codes.ts';
import { errorCatalog } from '../../../server/src/error-catalog.ts';
import { escapeHtml, slugOf } from '../markdown/html.ts';
import type { OpenApiDocument } from '../reference/document.ts';
import type { GeneratedPage } from '../reference/pages.ts';

interface Code {
  readonly code: string;
  readonly status: string;
  readonly explanation: string;
}

function entry({ code, status, explanation }: Code, inline: (text: string) => string): string {
  const id = slugOf(code);
  return (
    `<section class="operation error-code"><h3 id="${id}" tabindex="-1"><code>${escapeHtml(code)}</code>` +
    `<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(code)}">#</a></h3>` +
    `<p><span class="status">${status}</span> ${inline(explanation)}</p></section>`
  );
}

/**
 * Returns the page of every error code, with its meaning and the remedy, and of every verdict code. A code that is
 * both, such as `LICENSE.NOT_FOUND`, has one entry with both explanations.
 */
export function errorsPage(document: OpenApiDocument, inline: (text: string) => string): GeneratedPage {
  const verdicts = document.components.schemas?.['VerdictCode']?.['x-enumDescriptions'] ?? {};
  const errors = errorCatalog.map(({ code, status, meaning, remedy }) => {
    const asVerdict = verdicts[code];
    const explanation = `${meaning} ${remedy}`;
    return {
      code,
      status: String(status),
      explanation: asVerdict ? `${explanation} As a verdict: ${asVerdict}` : explanation,
    };
  });
  const ofErrors = new Set<string>(errors.map(({ code }) => code));
  const onlyVerdicts = Object.entries(verdicts)
    .filter(([code]) => !ofErrors.has(code))
    .map(([code, explanation]) => ({ code, status: 'verdict', explanation }));
  const known = new Set([...onlyVerdicts, ...errors].map(({ code }) => code));
  const ofSdks = sdkCodes.filter(({ code }) => !known.has(code)).map((one) => ({ ...one, status: 'SDK' }));
  const areas = Map.groupBy([...onlyVerdicts, ...errors, ...ofSdks], ({ code }) => code.split('.')[0] ?? '');
  const sections = [...areas].map(([area, codes]) => {
    const id = `area-${slugOf(area)}`;
    return (
      `<h2 id="${id}" tabindex="-1"><code>${area}</code><a class="anchor" href="#${id}" aria-label="Link to ${area}">#</a></h2>` +
      codes.map((code) => entry(code, inline)).join('')
    );
  });
  return {
    url: '/errors/',
    title: 'Errors and verdicts',
    description: 'Every code of the API and of the SDKs, what it means, and what to do.',
    content:
      '<p>A program decides by <code>error.code</code>, which never changes its meaning; <code>error.message</code> is for ' +
      'people. A <strong>verdict</strong> is no error: it is a 200 that says whether a license may be used, and why. Codes marked <strong>SDK</strong> come from the SDKs and from the ' +
      'entitlements of a verdict, without a status.</p>' +
      sections.join(''),
  };
}

/** A code that an SDK makes itself: the service never answers it. */
interface SdkCode {
  readonly code: string;
  /** The meaning, then the remedy. */
  readonly explanation: string;
}

const refusals: Readonly<Record<RefusalReason, string>> = {
  MALFORMED: 'It is not a statement of the service, or it was cut off. Fetch it again.',
  ALGORITHM_REFUSED: 'It is not signed with EdDSA. Somebody changed it: fetch it again.',
  TYPE_REFUSED: 'It is another kind of signed statement. Pass a certificate where one is expected.',
  KEY_UNKNOWN: 'The JWK Set has no key with this id. Embed the current set of the tenant.',
  SIGNATURE_INVALID: 'It is forged or was changed. Fetch it again.',
  ISSUER_MISMATCH: 'Another service issued it. `issuer` must be the `PUBLIC_URL` of the service.',
  AUDIENCE_MISMATCH: 'It is for another vendor. `audience` must be the id of your tenant.',
  NOT_YET_VALID: 'It is not valid yet. Correct the clock of the device.',
  EXPIRED: 'It has ended. Connect to the service to get a new one.',
  FINGERPRINT_MISMATCH: 'It is for another device. Activate this one.',
  PRODUCT_MISMATCH: 'It is for another product. Check `product`, and the license key.',
};

const ofProofs: Readonly<Record<ProofReason, string>> = {
  MISSING: 'The verdict has no proof. Check `baseUrl` and every proxy: an answer without proof is no answer.',
  NONCE_MISMATCH: 'The proof answers another request: somebody may have recorded it. Ask again.',
  QUESTION_MISMATCH: 'The proof answers another question, such as one about another key. Ask again.',
  VERDICT_MISMATCH: 'The verdict differs from its proof: it was changed on the way. Ask again, and check every proxy.',
};

const others: Readonly<Record<Exclude<CodeOfSdk, `CERTIFICATE.${string}` | `PROOF.${string}`>, string>> = {
  'NETWORK.UNREACHABLE':
    'The service could not be reached. Check the network and `baseUrl`, and try again later. In a browser, CORS or a ' +
    'proxy can be the cause: see [Browser](/docs/browser/#cors).',
  'NETWORK.TIMEOUT': 'The service did not answer in time. Try again, or raise the time limit.',
  'NETWORK.ABORTED': 'Your program aborted the request. Nothing needs to be done.',
  'RESPONSE.INVALID': 'The response is not one of the API, but that of a proxy, for example. Check `baseUrl`.',
  'CONFIGURATION.INVALID': 'An option is impossible. The message names it: correct your program.',
  'WEBHOOK.MALFORMED': 'The header or the body is not that of a webhook. Pass the raw body and the header as received.',
  'WEBHOOK.SIGNATURE_INVALID': 'No secret fits the signature. Check the secret, and pass the raw body.',
  'WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE': 'The message is old or repeated, or the clock is wrong. Correct the clock.',
  'WEBHOOK.HANDLER_FAILED':
    'Your `onEvent` failed, and the answer was 500. Correct its cause: the service sends the event again.',
  'CERTIFICATE_FILE.INVALID':
    'The file is not the certificate file of an offline activation. Download it again from the portal.',
  'CERTIFICATE_FILE.OTHER_LICENSE':
    'The certificate file is for another license key. Enter that key, or download the file of this license.',
  'CERTIFICATE_FILE.TOO_OLD':
    'The service has refused the license since the certificate was issued. Download a new certificate file.',
  'FINGERPRINT.UNAVAILABLE': 'This machine has no id that can be read. Set `path` to a file that persists.',
  'CLOCK.SET_BACK': 'The clock of this machine was set back. Correct it, or connect to the service.',
  'GUARD.NOT_STARTED': 'The guard has not started. Call `start()` first.',
  'GUARD.CHECKING': 'The service has not answered yet. Wait for the first check.',
  'GUARD.FAILED': 'A check failed with an error of your own code, such as a store. The detail says which.',
  'GUARD.STOPPED': 'The seat was released. Call `start()` to take one.',
  'LICENSE.KEY_MISSING': 'The guard has no license key. Ask the user for it.',
  'STORE.IN_USE': 'Another process or recorder writes to the store. Give each recorder a store of its own.',
  'STORE.FOREIGN': 'The store belongs to something else. Give the guard and the recorder a store each.',
  'STORE.UNREADABLE':
    'The store holds no valid JSON. A guard fetches a new certificate; events that waited there are lost.',
  'STORE.FAILED':
    'The store of a guard cannot be read or written. Check the store: the error has the cause. The guard goes on.',
  'RECORDER.FAILED': 'Usage could not be stored or sent because of an error of your own code. Read its cause.',
  'USAGE.BUFFER_FULL': 'Too much usage waits to be sent. Connect to the service, or raise the limit.',
  'USAGE.RECORDER_CLOSED': 'The recorder was closed. Create a new one.',
  'USAGE.OUT_OF_WINDOW': 'A reason of a refused usage event: it is too old or in the future. Correct the clock.',
  'USAGE.TOTAL_TOO_LARGE': 'A reason of a refused usage event: the counter would get too large. Report less.',
  'ENTITLEMENT.LIMIT_REACHED': 'A reason of an entitlement check: nothing is left of the limit. Wait for its reset.',
  'ENTITLEMENT.EXPIRED': 'A reason of an entitlement check: the grant has ended. Grant it again.',
};

const named = (prefix: string, table: Readonly<Record<string, string>>) =>
  Object.entries(table).map(([reason, explanation]) => ({ code: `${prefix}.${reason}`, explanation }));

/** Every code that an SDK makes, and the reasons of entitlement checks, with meaning and remedy. */
export const sdkCodes: readonly SdkCode[] = [
  ...Object.entries(others).map(([code, explanation]) => ({ code, explanation })),
  ...named('CERTIFICATE', refusals),
  ...named('PROOF', { ...ofProofs, ...refusals }),
];
