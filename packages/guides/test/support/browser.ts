import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The part of Playwright that the tests use. Its package is installed apart, by scripts/setup-guides-browser.sh. */
export interface Page {
  goto(url: string): Promise<unknown>;
  evaluate<Result>(script: string): Promise<Result>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  waitForSelector(selector: string): Promise<unknown>;
  waitForURL(url: string | RegExp): Promise<void>;
  textContent(selector: string): Promise<string | null>;
  isVisible(selector: string): Promise<boolean>;
  url(): string;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  on(event: 'request', listener: (request: { url(): string }) => void): void;
}

interface Context {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface ContextOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly javaScriptEnabled?: boolean;
}

/** A running Chromium. */
export interface Browser {
  newContext(options: ContextOptions): Promise<Context>;
  close(): Promise<void>;
}

const require = createRequire(join(import.meta.dirname, '..', 'browser', 'package.json'));
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Debian's Chromium. */
export function startBrowser(): Promise<Browser> {
  const { chromium } = require('playwright-core');
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
}

/** The script of axe, which checks accessibility. */
export const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
