import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

export type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';

/** A test browser must not contact its vendor, and Debian's Chromium refuses its sandbox for root. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The headless shell draws no window of its own, so it loads a page with half the CPU time of the whole browser. */
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync) ?? '';

/** Starts Debian's Chromium, headless. The caller closes it. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath, args: flags });
}

/** Starts Chromium with the storage of a folder and with further flags, for a program that controls it too. */
export function launchPersistentChromium(folder: string, moreFlags: readonly string[]): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, { executablePath, args: [...flags, ...moreFlags] });
}

/** The script of axe, which checks the accessibility of the page that runs it. */
export const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe whose result depends on the colours. */
export const rulesOfColours = ['color-contrast', 'link-in-text-block'];
