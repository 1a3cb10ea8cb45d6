import { sitePath } from '../layout/site.ts';
import { escapeHtml, slugOf, textOf } from '../markdown/html.ts';
import type { NavigationSection } from '../navigation.ts';
import { type OpenApiDocument, type Operation, type OperationResponse, operationsOf } from './document.ts';
import { type FieldContext, field, fields, responseFields } from './fields.ts';
import { requestExamples, responseExample, type SampleWriter, sampleWriter } from './requests.ts';

interface ReferenceContext extends FieldContext {
  readonly samples: SampleWriter;
}

/** A page that is made from the program instead of Markdown. */
export interface GeneratedPage {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly content: string;
}

/** The pages of the reference, and the URL of each operation by its `operationId`. */
export interface Reference {
  readonly pages: readonly GeneratedPage[];
  readonly operations: ReadonlyMap<string, string>;
  /** The pages by the part of the API. */
  readonly sections: readonly NavigationSection[];
}

const credentialNames: Readonly<Record<string, string>> = {
  apiKey: 'an API key in <code>X-API-Key</code>',
  bearer: 'a token as <code>Authorization: Bearer</code>',
  metricsToken: 'the <code>METRICS_TOKEN</code> of the service, if it is set',
};
const contentNotes = {
  data: 'The fields are those of <code>data</code>.',
  items: '<code>data</code> is a list; the fields are those of each item.',
  body: 'Without an envelope.',
} as const;
/** Who calls each part of the API. */
const partTexts: Readonly<Record<string, string>> = {
  Integration: 'What your shipped software calls, with an API key.',
  Tenant: 'What you and your backend call, with a login or an access token. It manages what you license.',
  Account: 'Logins, the profile of a user, and the purchase of a plan.',
  Platform: 'What the operator of the service calls, with the login of a platform admin.',
};
const placeTitles = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

function heading(id: string, title: string): string {
  return (
    `<h2 id="${id}" tabindex="-1">${escapeHtml(title)}` +
    `<a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(title)}”">#</a></h2>`
  );
}

/** Splits a path after its slashes, so that a narrow screen breaks it there. */
function pathCode(path: string): string {
  return `<code>${escapeHtml(path)
    .replaceAll('/', '/<wbr>')
    .replace(/^\/<wbr>/, '/')}</code>`;
}

function parameters(context: FieldContext, operation: Operation): string {
  return Object.entries(placeTitles)
    .map(([place, title]) => {
      const items = operation.parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema = {}, required = false, description }) =>
          field(context, {
            name,
            given: { ...schema, ...(description && { description }) },
            isRequired: required,
            depth: 0,
          }),
        );
      return items.length === 0 ? '' : `<h3>${title}</h3><ul class="fields">${items.join('')}</ul>`;
    })
    .join('');
}

function requestBody(context: FieldContext, { bodies, isBodyRequired }: Operation): string {
  if (bodies.length === 0) return '';
  const types = bodies.map(({ mediaType }) => `<code>${escapeHtml(mediaType)}</code>`).join(', ');
  const note = `<p>${types}${isBodyRequired ? '' : ', optional'}.</p>`;
  const json = bodies.find(({ schema }) => schema !== undefined)?.schema;
  return `<h3>Body</h3>${note}${json === undefined ? '' : fields(context, json)}`;
}

function successes(context: FieldContext, operation: Operation): string {
  return operation.responses
    .filter(({ status }) => status.startsWith('2') || status.startsWith('3'))
    .map(({ status, description, bodies }) => {
      const json = bodies.find(({ mediaType, schema }) => mediaType === 'application/json' && schema !== undefined);
      const others = bodies
        .filter(({ mediaType }) => mediaType !== 'application/json')
        .map(({ mediaType }) => mediaType);
      const { html, of } = json?.schema ? responseFields(context, json.schema) : { html: '', of: 'body' as const };
      const what = [
        ...(description && description !== 'Success.' ? [context.inline(description)] : []),
        ...(html ? [contentNotes[of]] : []),
        ...(others.length > 0 ? [`As ${others.map((type) => `<code>${escapeHtml(type)}</code>`).join(' or ')}.`] : []),
      ];
      const list = html && `<details><summary>Fields of the response</summary>${html}</details>`;
      return `<p><span class="status">${status}</span> ${what.join(' ')}</p>${list}`;
    })
    .join('');
}

/** Codes in a description become links to the page of errors. */
function linkCodes(html: string): string {
  return html.replace(
    /<code>([A-Z_]+(?:\.[A-Z_]+)+)<\/code>/g,
    (code, name: string) => `<a href="${sitePath}/errors/#${slugOf(name)}">${code}</a>`,
  );
}

function failures(context: FieldContext, responses: readonly OperationResponse[]): string {
  const failing = responses.filter(({ status }) => !/^[23]/.test(status));
  if (failing.length === 0) return '';
  const rows = failing.map(
    ({ status, description }) =>
      `<tr><td><span class="status">${status}</span></td><td>${linkCodes(context.inline(description))}</td></tr>`,
  );
  return (
    `<details><summary>Errors</summary><div class="table" tabindex="0" role="group" aria-label="Errors"><table>` +
    `<thead><tr><th scope="col">Status</th><th scope="col">Reason</th></tr></thead><tbody>${rows.join('')}</tbody></table></div></details>`
  );
}

function operationSection(context: ReferenceContext, operation: Operation, position: number): string {
  const { samples } = context;
  const { id, method, path, title, description, credentials, adminTwin, responses } = operation;
  const accepted = credentials.map((name) => credentialNames[name] ?? escapeHtml(name)).join(' or ');
  const twin =
    adminTwin === null
      ? ''
      : `<p id="${adminTwin.id}">Admins of the platform use ${pathCode(adminTwin.path)} (<code>${escapeHtml(adminTwin.id)}</code>).</p>`;
  return (
    `<section class="operation">${heading(id, title)}` +
    `<div class="route"><span class="method method-${method}">${method.toUpperCase()}</span>${pathCode(path)}</div>` +
    `${description ? `<p>${context.inline(description)}</p>` : ''}` +
    `<p>${accepted ? `Needs ${accepted}.` : 'Needs no credentials.'} In generated clients: <code>${escapeHtml(id)}</code>.</p>${twin}` +
    `${requestExamples(samples, operation, position)}${parameters(context, operation)}${requestBody(context, operation)}` +
    `<h3>Response</h3>${successes(context, operation)}${responseExample(context.document, operation)}${failures(context, responses)}</section>`
  );
}

function tagPage(
  context: ReferenceContext,
  tag: { name: string; description?: string },
  operations: readonly Operation[],
): GeneratedPage {
  const rows = operations.map(
    ({ id, method, path, title }) =>
      `<tr><td><a href="#${id}">${escapeHtml(title)}</a></td><td class="route-cell"><span class="method method-${method}">${method.toUpperCase()}</span> ${pathCode(path)}</td></tr>`,
  );
  const table =
    `<div class="table" tabindex="0" role="group" aria-label="Operations"><table><thead><tr><th scope="col">Operation</th><th scope="col">Route</th></tr></thead>` +
    `<tbody>${rows.join('')}</tbody></table></div>`;
  const sections = operations.map((operation, position) => operationSection(context, operation, position + 1));
  return {
    url: tagUrl(tag.name),
    title: tag.name,
    description: textOf(tag.description ?? ''),
    content: table + sections.join(''),
  };
}

function tagUrl(name: string): string {
  return `/reference/${slugOf(name)}/`;
}

function overviewPage(
  document: OpenApiDocument,
  groups: readonly { name: string; description?: string; count: number }[],
): GeneratedPage {
  const card = ({ name, description = '', count }: (typeof groups)[number]) =>
    `<li><a class="card" href="${sitePath}${tagUrl(name)}"><strong>${escapeHtml(name)}</strong>${escapeHtml(description)} ` +
    `${count} operation${count === 1 ? '' : 's'}.</a></li>`;
  const parts = document['x-tagGroups'].map(({ name, tags }) => {
    const cards = groups.filter((group) => tags.includes(group.name)).map(card);
    return `${heading(slugOf(name), name)}<p>${partTexts[name] ?? ''}</p><ul class="cards">${cards.join('')}</ul>`;
  });
  return {
    url: '/reference/',
    title: 'API reference',
    description: 'Every operation of the HTTP API, with its parameters, bodies and errors.',
    content:
      `<p>Bodies are JSON. A success has <code>data</code> and <code>meta</code>, a failure has <code>error</code> with a ` +
      `<a href="${sitePath}/errors/">stable code</a>. The same document as <a href="/openapi.json">OpenAPI 3.1</a>, ` +
      `version ${escapeHtml(document.info.version)}, serves generators of clients, and so does <a href="/openapi-integration.json">that of the Integration API alone</a>. ` +
      `Samples use the SDKs where these have a method. Other languages <a href="${sitePath}/sdks/other-languages/">use the C library or the HTTP API</a>.</p>${parts.join('')}`,
  };
}

function eventsPage(context: FieldContext): GeneratedPage | null {
  const events = Object.entries(context.document.webhooks ?? {});
  if (events.length === 0) return null;
  const sections = events.map(([name, item]) => {
    const operation = item['post'];
    const schema = operation?.requestBody?.content?.['application/json']?.schema;
    const list = schema === undefined ? '' : fields(context, schema);
    return (
      `<section class="operation">${heading(slugOf(name), name)}<p>${context.inline(operation?.description ?? operation?.summary ?? '')}</p>` +
      `${list && `<details><summary>Fields of the body</summary>${list}</details>`}</section>`
    );
  });
  return {
    url: '/reference/webhook-events/',
    title: 'Webhook events',
    description: 'What the service sends to your webhook endpoints.',
    content: sections.join(''),
  };
}

/** Returns the navigation of the reference. Events belong to what a vendor integrates. */
function sectionsOf(
  document: OpenApiDocument,
  used: ReadonlySet<string>,
  events: GeneratedPage | null,
): NavigationSection[] {
  const parts = document['x-tagGroups'].map(({ name, tags }) => ({
    title: name,
    pages: [
      ...tags.filter((tag) => used.has(tag)).map(tagUrl),
      ...(name === 'Integration' && events !== null ? [events.url] : []),
    ],
  }));
  return [{ title: 'Overview', pages: ['/reference/'] }, ...parts];
}

/** Returns the pages of the reference, in reading order. */
export function referencePages(document: OpenApiDocument, inline: (text: string) => string): Reference {
  const context: ReferenceContext = { document, inline, samples: sampleWriter(document) };
  const operations = operationsOf(document);
  const described = new Map(document.tags.map(({ name, description }) => [name, description]));
  const names = [...new Set([...described.keys(), ...operations.map(({ tag }) => tag)])];
  const groups = names
    .map((name) => ({
      name,
      description: described.get(name) ?? '',
      own: operations.filter(({ tag }) => tag === name),
    }))
    .filter(({ own }) => own.length > 0);
  const events = eventsPage(context);
  const urls = operations.flatMap(({ id, tag, adminTwin }) => [
    [id, `${tagUrl(tag)}#${id}`] as const,
    ...(adminTwin === null ? [] : [[adminTwin.id, `${tagUrl(tag)}#${adminTwin.id}`] as const]),
  ]);
  return {
    pages: [
      overviewPage(
        document,
        groups.map(({ name, description, own }) => ({ name, description, count: own.length })),
      ),
      ...groups.map(({ own, ...tag }) => tagPage(context, tag, own)),
      ...(events === null ? [] : [events]),
    ],
    operations: new Map(urls),
    sections: sectionsOf(document, new Set(groups.map(({ name }) => name)), events),
  };
}
