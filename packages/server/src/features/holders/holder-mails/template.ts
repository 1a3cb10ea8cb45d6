import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ErrorDetail } from '../../../lib/error.ts';
import type { HolderMailType } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import { renderBody, unsafeTargets, variableNames, withoutVariables } from './markdown.ts';
import type { Template } from './texts/shape.ts';
import { isSecret, variablesOf } from './variables.ts';

/** Returns the problems of a template, each as a sentence for the person who edits it. None: it can be used. */
export async function templateProblems(type: HolderMailType, { subject, body }: Template): Promise<ErrorDetail[]> {
  const problems = [
    ...problemsOf(type, 'subject', subject),
    ...secretsIn(type, subject),
    ...problemsOf(type, 'body', body),
  ];
  // To parse 20,000 brackets takes 20 ms: other requests are served before and after each time.
  for (const parsing of [linksIn, sizeOf]) {
    await nextTurn();
    problems.push(...parsing(type, body));
  }
  await nextTurn();
  return problems;
}

/** Some mail programs cut longer mails. A text of 20,000 characters can become 600 KB, because each piece of code has a style. */
const htmlMax = 100_000;

function sizeOf(type: HolderMailType, body: string): ErrorDetail[] {
  const samples = Object.fromEntries(variablesOf(type).map(({ name, sample }) => [name, sample]));
  const { html } = renderBody(body, samples, { isUrl: () => false, buttonStyle: '' });
  if (html.length <= htmlMax) return [];
  const message = `The mail would have ${Math.ceil(html.length / 1000)} KB, and at most 100 KB are allowed. Shorten the text, or use less formatting.`;
  return [{ field: 'body', message }];
}

function problemsOf(type: HolderMailType, field: 'subject' | 'body', text: string): ErrorDetail[] {
  const known = variablesOf(type).map(({ name }) => name);
  const unknown = [...new Set(variableNames(text))].filter((name) => !known.includes(name));
  const problems = unknown.map((name) => `The variable {{${name}}} is unknown. This mail knows: ${known.join(', ')}.`);
  const rest = withoutVariables(text);
  if (rest.includes('{{')) problems.push('A {{ has no }} after it. Write a variable as {{product_name}}.');
  if (rest.includes('}}')) problems.push('A }} has no {{ before it. Write a variable as {{product_name}}.');
  return problems.map((message) => ({ field, message }));
}

/** The subject of a sent mail is stored and listed, so it must not contain a key or a code. */
function secretsIn(type: HolderMailType, subject: string): ErrorDetail[] {
  const secrets = variablesOf(type).filter((variable) => isSecret(type, variable));
  const used = secrets.filter(({ name }) => variableNames(subject).includes(name));
  return used.map(({ name }) => ({
    field: 'subject',
    message: `Use {{${name}}} only in the text of the mail, because subjects are stored.`,
  }));
}

function linksIn(type: HolderMailType, body: string): ErrorDetail[] {
  const urls = variablesOf(type).flatMap(({ name, kind }) => (kind === 'url' ? [name] : []));
  return unsafeTargets(body, (name) => urls.includes(name)).map((target) => ({
    field: 'body',
    message:
      `The link to ${target.slice(0, 100)} is not allowed. A link must begin with https:// or mailto:, or be one of the variables ` +
      `${urls.map((name) => `{{${name}}}`).join(', ')}.`,
  }));
}
