import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Site, sitePath } from '../layout/site.ts';
import { sampleBaseUrl } from '../markdown/highlight.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';

/** A page as the build has rendered it. */
export interface RenderedPage {
  /** With `/docs`. */
  readonly url: string;
  readonly title: string;
  readonly description: string;
  /** The part of the site: a section of the guides, or the reference. */
  readonly area: string;
  /** The section of the navigation. */
  readonly section: string;
  readonly content: string;
}

/** Links lead to the Markdown of other pages, so that a program stays in it. */
function absoluteLinks(markdown: string): string {
  return markdown.replace(/\]\((\/docs\/(?:[^)#]*\/)?)(#[^)]*)?\)/g, `](${sampleBaseUrl}$1index.md$2)`);
}

function textVersion({ title, description, content, url }: RenderedPage): string {
  const heading = url === `${sitePath}/` ? '' : `# ${title}\n\n${description}\n\n`;
  return absoluteLinks(heading + htmlToMarkdown(content));
}

/** Returns the index of the site for language models, in the format of llmstxt.org. */
function llmsText(pages: readonly RenderedPage[], { sections, version }: Site): string {
  const lists = sections.map(({ title, pages: urls }) => {
    const isReference = urls[0]?.startsWith('/reference/') ?? false;
    const lines = urls.flatMap((url) => {
      const page = pages.find((one) => one.url === sitePath + url);
      return page === undefined
        ? []
        : [`- [${page.title}](${sampleBaseUrl}${page.url}index.md): ${page.description.replace(/\s+/g, ' ')}`];
    });
    return `## ${isReference ? `API reference: ${title}` : title}\n\n${lines.join('\n')}\n`;
  });
  return [
    '# Licensing service',
    `> Issue licenses for software, check them online and offline, bind them to devices, and meter what they allow. Version ${version}, served at ${sampleBaseUrl}.`,
    'An application sends a license key with an API key and gets a verdict. SDKs: TypeScript, Python, Go, and C and C++.',
    ...lists.map((list) => list.trimEnd()),
    `## OpenAPI\n\n- [Integration API](${sampleBaseUrl}/openapi-integration.json): what shipped software calls\n- [Whole API](${sampleBaseUrl}/openapi.json): every operation\n`,
  ].join('\n\n');
}

/** Writes `index.md` beside each page, and `llms.txt`, which lists them. */
export function writeTextVersions(folder: string, pages: readonly RenderedPage[], site: Site): void {
  for (const page of pages) {
    const target = join(folder, page.url.slice(sitePath.length));
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'index.md'), textVersion(page));
  }
  writeFileSync(join(folder, 'llms.txt'), llmsText(pages, site));
}
