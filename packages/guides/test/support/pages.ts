import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMarkdown, snippetGroupsOf } from '../../src/markdown/markdown.ts';
import { type SnippetGroup, type Track, tracks } from '../../src/snippets/snippet.ts';

const folder = join(import.meta.dirname, '..', '..', 'pages');
const markdown = createMarkdown((href) => href);

/** A Markdown page with its snippets. */
export interface GuidePage {
  /** Below `pages`, such as `models/trial.md`. */
  readonly path: string;
  readonly groups: readonly SnippetGroup[];
  /** The languages in which the page can be followed; one without tabs has only the first. */
  readonly tracks: readonly Track[];
  /** Whether a reader needs a compiler, which only the machines of the long tests have. */
  readonly isCompiled: boolean;
}

const compiledLanguages = ['go', 'c', 'cpp'];

/** Returns the text without its front matter, whose lines become empty so that line numbers stay true. */
function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n.*?\n---\n/s, (head) => head.replace(/[^\n]/g, ''));
}

/** Returns every Markdown page. Throws if a snippet does not say what the tests do with it. */
export function guidePages(): GuidePage[] {
  return globSync('**/*.md', { cwd: folder })
    .sort()
    .map((path) => {
      const groups = snippetGroupsOf(markdown, withoutFrontMatter(readFileSync(join(folder, path), 'utf8')));
      const named = tracks.filter((track) => groups.some(({ tabs }) => tabs.some((tab) => tab.track === track)));
      const languages = groups
        .flatMap(({ tabs }) => tabs.flatMap(({ snippets }) => snippets))
        .map(({ language }) => language);
      return {
        path: path.replaceAll('\\', '/'),
        groups,
        tracks: named.length === 0 ? ['curl'] : named,
        isCompiled: compiledLanguages.some((language) => languages.includes(language)),
      };
    });
}
