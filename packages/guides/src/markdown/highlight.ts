import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { escapeHtml } from './html.ts';

hljs.registerLanguage('sh', bash);
hljs.registerLanguage('http', http);
hljs.registerLanguage('json', json);
hljs.registerLanguage('py', python);
hljs.registerLanguage('ts', typescript);

/** The address that a page shows until the reader's own replaces it: that of `npm start`. */
export const sampleBaseUrl = 'http://127.0.0.1:3000';

/** Returns code as HTML with classes, and marks the address of the service for replacement by the reader's own. */
export function highlight(code: string, language: string): string {
  const text = code.replace(/\n$/, '');
  const html = hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escapeHtml(text);
  return markBaseUrl(html);
}

/** Marks the address of the service in HTML. The element is `code-less`, so that it inherits its colours. */
export function markBaseUrl(html: string): string {
  return html.replaceAll(sampleBaseUrl, `<span data-base-url>${sampleBaseUrl}</span>`);
}
