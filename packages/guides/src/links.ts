import { posix } from 'node:path';
import { sitePath } from './layout/site.ts';
import { slugOf } from './markdown/html.ts';

/** The anchors of generated pages, to which Markdown links by name. */
export interface LinkTargets {
  /** The URL of each operation by its `operationId`. */
  readonly operations: ReadonlyMap<string, string>;
}

/**
 * Returns a function that turns the links of Markdown files into URLs of the site: `webhooks.md#anchor` is relative to
 * the file, `reference:validateLicense` names an operation, and `error:LICENSE.EXPIRED` an error or verdict code.
 */
export function linkResolver({ operations }: LinkTargets): (href: string, inputPath: string) => string {
  return (href, inputPath) => {
    const [, scheme, name = ''] = /^(reference|error):(.+)$/.exec(href) ?? [];
    // A test reports an operation that does not exist; the page still links to the reference.
    if (scheme === 'reference') return `${sitePath}${operations.get(name) ?? `/reference/#${name}`}`;
    if (scheme === 'error') return `${sitePath}/errors/#${slugOf(name)}`;
    const [, file, anchor = ''] = /^([^:#?]+)\.md(#.*)?$/.exec(href) ?? [];
    if (file === undefined) return href;
    const folder = posix.dirname(inputPath.replaceAll('\\', '/').replace(/^(\.\/)?pages\//, ''));
    const target = posix.join('/', folder, file).replace(/(^|\/)index$/, '$1');
    return `${sitePath}${target.endsWith('/') ? target : `${target}/`}${anchor}`;
  };
}
