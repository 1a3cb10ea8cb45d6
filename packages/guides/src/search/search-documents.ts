import { textOf } from '../markdown/html.ts';

interface RenderedPage {
  readonly url: string;
  readonly title: string;
  readonly area: string;
  readonly content: string;
}

const textMax = 1200;

/** Returns one document for the beginning of each page and one for each of its sections. */
export function searchDocuments(pages: readonly RenderedPage[]): SearchDocument[] {
  const sections = pages.flatMap(({ url, title, area, content }) => {
    const [beginning = '', ...rest] = content.split(/(?=<h[23][^>]*\bid=")/);
    const parts = rest.map((html) => {
      const [, id = '', heading = ''] = /^<h[23][^>]*\bid="([^"]+)"[^>]*>(.*?)<\/h[23]>/s.exec(html) ?? [];
      return { url: `${url}#${id}`, heading: plain(heading), html: html.replace(/^<h[23].*?<\/h[23]>/s, '') };
    });
    return [{ url, heading: title, html: beginning }, ...parts].map((part) => ({
      url: part.url,
      heading: part.heading,
      page: title,
      area,
      text: plain(part.html).slice(0, textMax),
      names: namesOf(part.heading, plain(part.html)),
    }));
  });
  return sections.map((section, id) => ({ id, ...section }));
}

/** Returns the heading, and the path and the name of an operation, in lower case. */
function namesOf(heading: string, text: string): string[] {
  const path = /^(?:GET|POST|PUT|PATCH|DELETE) ?(\/\S*)/.exec(text)?.[1];
  const operation = /In generated clients: (\w+)/.exec(text)?.[1];
  return [heading, path, operation].flatMap((name) => name?.toLowerCase() ?? []);
}

function plain(html: string): string {
  const visible = html
    .replace(/<a class="anchor".*?<\/a>/gs, '')
    .replace(/<button.*?<\/button>/gs, '')
    .replace(/<div class="code code-output">.*?<\/pre><\/div>/gs, '')
    .replace(/<\/(p|li|td|th|div|pre|h\d|summary|label|dt|dd)>/g, ' ');
  return textOf(visible).replace(/\s+/g, ' ').trim();
}

/** One place that the search can find: a page, or a section of a page. */
export interface SearchDocument {
  readonly id: number;
  /** With the anchor of the section. */
  readonly url: string;
  /** The heading of the section, or the title of the page. */
  readonly heading: string;
  /** The title of the page, and its section of the navigation. */
  readonly page: string;
  readonly area: string;
  readonly text: string;
  /** In lower case: someone who types one of them means this place. */
  readonly names: readonly string[];
}
