import type { Snippet, SnippetGroup } from '../snippets/snippet.ts';
import { highlight } from './highlight.ts';
import { escapeHtml } from './html.ts';

const languageNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ts: 'TypeScript',
  py: 'Python',
  go: 'Go',
  c: 'C',
  cpp: 'C++',
  cs: 'C#',
  swift: 'Swift',
  delphi: 'Delphi',
  json: 'JSON',
  http: 'HTTP',
  text: '',
};

function caption({ action, file, language }: Snippet): string {
  if (file !== null) return file;
  if (action === 'output') return 'Output';
  return languageNames[language] ?? language;
}

/** Returns one block of code with its caption and, unless it is an output, a button that copies it. */
export function codeBlock(snippet: Snippet, { inTab = false } = {}): string {
  const { action, code, language, file } = snippet;
  const title = inTab && file === null && action !== 'output' ? '' : caption(snippet);
  const copy =
    action === 'output' ? '' : '<button type="button" class="copy" data-copy hidden><span>Copy</span></button>';
  const header = title || copy ? `<div class="code-head"><span>${escapeHtml(title)}</span>${copy}</div>` : '';
  const label = escapeHtml(title || languageNames[language] || 'Code');
  return (
    `<div class="code${action === 'output' ? ' code-output' : ''}">${header}` +
    `<pre tabindex="0" role="group" aria-label="${label}"${action === 'setup' ? ' data-setup' : ''}>` +
    `<code class="language-${escapeHtml(language)}">` +
    `${highlight(code, language)}</code></pre></div>`
  );
}

/**
 * Returns a group: one block, or tabs. Tabs are radio buttons, so that they work without a script, and every group has
 * the same values, so that the script can remember the choice.
 */
export function snippetGroup({ tabs }: SnippetGroup): string {
  const panels = tabs.map(({ track, snippets }) => ({
    track,
    html: snippets.map((snippet) => codeBlock(snippet, { inTab: track !== null })).join(''),
  }));
  if (panels.length === 1) return panels.map(({ html }) => html).join('');
  const name = `tabs-${tabs[0]?.snippets[0]?.line ?? 0}`;
  const parts = panels.map(({ track, html }, index) => {
    const value = (track ?? '').toLowerCase();
    const id = `${name}-${value}`;
    return (
      `<input type="radio" name="${name}" id="${id}" value="${value}" data-tab${index === 0 ? ' checked' : ''}>` +
      `<label for="${id}">${track}</label><div class="panel">${html}</div>`
    );
  });
  return `<div class="tabs" role="group" aria-label="Language">${parts.join('')}</div>`;
}
