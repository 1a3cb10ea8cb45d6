import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { featureGroups, featureOf } from './feature-groups.ts';
import { readSourceFiles, repositoryRoot } from './source-files.ts';

const documents = readSourceFiles('*.md', 'docs/**/*.md');

/** Returns the anchors of a document's headings, in the form that GitHub and most other renderers use. */
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

test('every link in a document leads to an existing file, and to a heading that the file has', () => {
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

/** Folders to which a path in a document may be relative: the repository, the server, its source, its features. */
const pathRoots = ['', 'packages/server', 'packages/server/src', 'packages/server/src/features'];
/** The first segments of such paths. A code span with another first segment is not a path of this repository. */
const firstFolders =
  'packages|docs|deploy|scripts|bench|bin|src|test|commands|config|db|features|http|jobs|lib|mail|metrics|payments|' +
  'rate-limit|surfaces|tenancy|operations|commerce|holders|accounts|licensing|webhooks|tenant-core';
const pathSpan = new RegExp(`^(?:${firstFolders})/[\\w./-]*$`);

/** Returns the code spans that have the form of a path of this repository, except with the placeholder `NNNN`. */
function pathsNamedIn(text: string): string[] {
  const spans = text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g);
  return [...spans].map(([, span = '']) => span).filter((span) => pathSpan.test(span) && !span.includes('NNNN'));
}

const documentsWithPaths = documents.filter(
  ({ path }) =>
    ['docs/architecture.md', 'CONTRIBUTING.md'].includes(path) || /^docs\/(contributing|decisions)\//.test(path),
);

test.for(documentsWithPaths)('every path that the document $path names exists', ({ text }) => {
  const missing = pathsNamedIn(text).filter((named) =>
    pathRoots.every((root) => !existsSync(join(repositoryRoot, root, named))),
  );
  expect(missing).toEqual([]);
});

test('the layout in docs/architecture.md names each folder and file of the source, and nothing else', () => {
  const { text = '' } = documents.find(({ path }) => path === 'docs/architecture.md') ?? {};
  const [, layout = ''] = /```layout\n(.*?)^```/ms.exec(text) ?? [];
  const named = [...layout.matchAll(/^src\/([^/\s]+)/gm)].map(([, name = '']) => name);
  const source = readSourceFiles('packages/server/src/**/*.ts').map(({ path }) => path.split('/')[3]);
  expect(named.sort()).toEqual([...new Set(source)].sort());
});

test('the table of feature groups in docs/architecture.md lists each group and each of its features', () => {
  const { text = '' } = documents.find(({ path }) => path === 'docs/architecture.md') ?? {};
  const [, table = ''] = /^\| group \| features \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const source = readSourceFiles('packages/server/src/features/**/*.ts');
  const features = [...new Set(source.map(({ path }) => featureOf(path.replace('packages/server/src/', ''))))].sort();
  const rows = featureGroups.map((group) => {
    const named = features.filter((feature) => feature?.startsWith(`${group}/`));
    return `| \`${group}\` | ${named.map((feature) => feature?.slice(group.length + 1)).join(', ')} |`;
  });
  expect(table.trimEnd().split('\n')).toEqual(rows);
});
