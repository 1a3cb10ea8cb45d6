import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { readSourceFiles, repositoryRoot } from './source-files.ts';

const documents = readSourceFiles('*.md', 'docs/**/*.md');

/** As GitHub and most others name headings. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('every link from a document to another one leads to a file, and to a heading that is in it', () => {
  const broken = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .map(([, file = '', anchor]) => ({ target: file === '' ? path : normalize(join(dirname(path), file)), anchor }))
      .filter(({ target, anchor }) => {
        if (!existsSync(join(repositoryRoot, target))) return true;
        const linked = documents.find((document) => document.path === target);
        return anchor !== undefined && linked !== undefined && !anchorsOf(linked.text).has(anchor);
      })
      .map(({ target, anchor }) => `${path} links to ${target}${anchor === undefined ? '' : `#${anchor}`}`),
  );
  expect(broken).toEqual([]);
});
