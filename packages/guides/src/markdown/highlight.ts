import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import delphi from 'highlight.js/lib/languages/delphi';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { escapeHtml } from './html.ts';

hljs.registerLanguage('sh', bash);
hljs.registerLanguage('http', http);
hljs.registerLanguage('json', json);
hljs.registerLanguage('py', python);
for (const name of ['js', 'ts', 'tsx']) hljs.registerLanguage(name, typescript);
hljs.registerLanguage('dockerfile', dockerfile);
hljs.registerLanguage('yaml', yaml);
hljs.registerLanguage('go', go);
hljs.registerLanguage('c', c);
hljs.registerLanguage('cpp', cpp);
hljs.registerLanguage('cs', csharp);
hljs.registerLanguage('swift', swift);
hljs.registerLanguage('delphi', delphi);

/** The address in the built pages: that of `npm start`. The service replaces it by its `PUBLIC_URL`. */
export const sampleBaseUrl = 'http://127.0.0.1:3000';

/** Returns code as HTML with classes. */
export function highlight(code: string, language: string): string {
  const text = code.replace(/\n$/, '');
  return hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escapeHtml(text);
}
