// Prints what Lighthouse says about a page in a browser that listens for it: `node run.mjs URL PORT PROFILE ENTRIES`,
// where PROFILE is `desktop` or `mobile` and ENTRIES is what `sessionStorage` holds, as a JSON object. A process of its
// own, because Lighthouse holds much memory. Lighthouse empties the caches, and keeps the storage with the session.

import lighthouse from 'lighthouse';
import { throttling } from 'lighthouse/core/config/constants.js';
import desktopConfig from 'lighthouse/core/config/desktop-config.js';
import { connect } from 'puppeteer-core';

/** The `benchmarkIndex` of an ordinary desktop, after Lighthouse's documentation of throttling. */
const desktopIndex = 1500;

const [url = '', port = '', profile = 'desktop', entries = '{}'] = process.argv.slice(2);
const flags = {
  port: Number(port),
  logLevel: 'error',
  output: 'json',
  onlyCategories: ['performance', 'accessibility', 'best-practices'],
};
const config =
  profile === 'desktop'
    ? desktopConfig
    : { extends: 'lighthouse:default', settings: { formFactor: 'mobile', throttling: throttling.mobileSlow4G } };

const browser = await connect({ browserURL: `http://127.0.0.1:${port}`, defaultViewport: null });
// A session may be bound to its tab, so Lighthouse gets the tab that has it.
const page = await browser.newPage();
await page.goto(new URL('/robots.txt', url).href);
await page.evaluate((stored) => {
  for (const [key, value] of Object.entries(stored)) sessionStorage.setItem(key, value);
}, JSON.parse(entries));

/** Measures the page as if the processor were slower by this factor than the profile says, or faster by one below 1. */
async function measure(factor) {
  const { cpuSlowdownMultiplier } = config.settings.throttling;
  const settings = {
    ...config.settings,
    throttling: { ...config.settings.throttling, cpuSlowdownMultiplier: cpuSlowdownMultiplier * factor },
  };
  const { lhr } = await lighthouse(url, flags, { ...config, settings }, page);
  return lhr;
}

// A busy or old machine says nothing about the page, so the times are converted to those of an ordinary desktop.
const { benchmarkIndex } = (await measure(1)).environment;
const lhr = await measure(Math.min(1, benchmarkIndex / desktopIndex));
await page.close();
await browser.disconnect();
const scores = Object.values(lhr.categories).map(({ id, score }) => [id, Math.round((score ?? 0) * 100)]);
const failed = Object.values(lhr.audits)
  .filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== 'informative')
  .map(({ id, displayValue }) => `${id}${displayValue ? ` (${displayValue})` : ''}`);
console.log(JSON.stringify({ benchmarkIndex, scores: Object.fromEntries(scores), failed }));
