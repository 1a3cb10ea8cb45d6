import { errorStatus } from '../../../server/src/lib/error-codes.ts';
import { escapeHtml } from '../markdown/html.ts';
import { slugOf } from '../markdown/slug.ts';
import type { OpenApiDocument } from '../reference/document.ts';
import type { GeneratedPage } from '../reference/pages.ts';
import { sdkCodes } from './sdk-codes.ts';

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
  const explanations = document.components.schemas?.['ErrorCode']?.['x-enumDescriptions'] ?? {};
  const verdicts = document.components.schemas?.['VerdictCode']?.['x-enumDescriptions'] ?? {};
  const errors = Object.entries(errorStatus).map(([code, status]) => {
    const asVerdict = verdicts[code];
    const explanation = explanations[code] ?? '';
    return {
      code,
      status: String(status),
      explanation: asVerdict ? `${explanation} As a verdict: ${asVerdict}` : explanation,
    };
  });
  const onlyVerdicts = Object.entries(verdicts)
    .filter(([code]) => !(code in errorStatus))
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
