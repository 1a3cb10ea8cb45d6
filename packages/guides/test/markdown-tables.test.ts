import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '..', 'dist');
const markdownIt = new MarkdownIt();

/** The number of cells of a line: a parser fills up short rows and cuts long ones, so only the line shows it. */
const cellsOf = (line: string) => line.replaceAll('\\|', '').split('|').length - 2;

test('every table of every Markdown version is a table for a parser, and each row has as many cells as its header', () => {
  const wrong: string[] = [];
  let tables = 0;
  for (const path of globSync('**/index.md', { cwd: dist })) {
    const text = readFileSync(join(dist, path), 'utf8');
    const html = readFileSync(join(dist, path.replace(/md$/, 'html')), 'utf8');
    const article = /<article>(.*)<\/article>/s.exec(html)?.[1] ?? '';
    const tokens = markdownIt.parse(text, {});
    const lines = text.split('\n');
    const counts = [article.match(/<(?:table|tr)\b/g), tokens.filter(({ type }) => /^(?:table|tr)_open$/.test(type))];
    if (counts[0] !== null && counts[0]?.length !== counts[1]?.length) wrong.push(`${path}: not all are tables`);
    for (const { map } of tokens.filter(({ type }) => type === 'table_open')) {
      tables += 1;
      const [header = '', ...rows] = lines.slice(...(map ?? [0, 0])).filter((line) => line !== '');
      wrong.push(...rows.filter((row) => cellsOf(row) !== cellsOf(header)).map((row) => `${path}: ${row}`));
    }
  }
  expect(wrong).toEqual([]);
  expect(tables).toBeGreaterThan(100);
});
