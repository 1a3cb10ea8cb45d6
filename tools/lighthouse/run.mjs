// Prints what Lighthouse says about a page in a browser that listens for it: `node run.mjs URL PORT`. A process of its
// own, because Lighthouse holds much memory. The browser keeps its storage, and with it the session.

import lighthouse from 'lighthouse';
import desktop from 'lighthouse/core/config/desktop-config.js';

/** The `benchmarkIndex` of an ordinary desktop, after Lighthouse's documentation of throttling. */
const desktopIndex = 1500;

const [url = '', port = ''] = process.argv.slice(2);
const flags = {
  port: Number(port),
  logLevel: 'error',
  output: 'json',
  onlyCategories: ['performance', 'accessibility', 'best-practices'],
  disableStorageReset: true,
};

/** Measures the page as if the processor were slower by this factor, or faster by one below 1. */
async function measure(cpuSlowdownMultiplier) {
  const throttling = { ...desktop.settings.throttling, cpuSlowdownMultiplier };
  const { lhr } = await lighthouse(url, flags, { ...desktop, settings: { ...desktop.settings, throttling } });
  return lhr;
}

// A busy or old machine says nothing about the page, so the times are converted to those of an ordinary desktop.
const { benchmarkIndex } = (await measure(1)).environment;
const lhr = await measure(Math.min(1, benchmarkIndex / desktopIndex));
const scores = Object.values(lhr.categories).map(({ id, score }) => [id, Math.round((score ?? 0) * 100)]);
const failed = Object.values(lhr.audits)
  .filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== 'informative')
  .map(({ id, displayValue }) => `${id}${displayValue ? ` (${displayValue})` : ''}`);
console.log(JSON.stringify({ benchmarkIndex, scores: Object.fromEntries(scores), failed }));
