// Prints what Lighthouse says about a page in a browser that listens for it: `node run.mjs URL PORT`. A process of its
// own, because Lighthouse holds much memory. The browser keeps its storage, and with it the session.

import lighthouse from 'lighthouse';
import desktop from 'lighthouse/core/config/desktop-config.js';

const [url = '', port = ''] = process.argv.slice(2);
const { lhr } = await lighthouse(
  url,
  {
    port: Number(port),
    logLevel: 'error',
    output: 'json',
    onlyCategories: ['performance', 'accessibility', 'best-practices'],
    disableStorageReset: true,
  },
  desktop,
);
const scores = Object.values(lhr.categories).map(({ id, score }) => [id, Math.round((score ?? 0) * 100)]);
const failed = Object.values(lhr.audits)
  .filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== 'informative')
  .map(({ id, displayValue }) => `${id}${displayValue ? ` (${displayValue})` : ''}`);
console.log(JSON.stringify({ scores: Object.fromEntries(scores), failed }));
