// Serves the page, and the installed SDK at /sdk.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { PORT = '8080' } = process.env;
const types = { html: 'text/html', css: 'text/css', js: 'text/javascript', json: 'application/json' };
const sdk = new URL('./', import.meta.resolve('@licensing/sdk'));

/** Returns the file of a path; only these are public. @param {string} path */
function fileOf(path) {
  if (path === '/') return new URL('index.html', import.meta.url);
  if (/^\/(app\.js|style\.css|vendor\.json)$/.test(path)) return new URL(`.${path}`, import.meta.url);
  return /^\/sdk\/[\w/-]+\.js$/.test(path) ? new URL(path.slice('/sdk/'.length), sdk) : undefined;
}

const server = createServer(async (request, response) => {
  const file = fileOf(new URL(request.url ?? '/', 'http://page').pathname);
  const content = file && (await readFile(file).catch(() => undefined));
  const [, type] = Object.entries(types).find(([ending]) => file?.pathname.endsWith(`.${ending}`)) ?? [];
  response.writeHead(content ? 200 : 404, { 'content-type': type ?? 'text/plain', 'cache-control': 'no-cache' });
  response.end(content ?? 'Nothing is here.');
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${PORT}`));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
