import { createRequire } from 'node:module';
import type { Browser } from '../../../packages/guides/test/support/browser.ts';

const requireDriver = createRequire(new URL('../../../packages/sdk/test/runtimes/package.json', import.meta.url));
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Debian's Chromium, with the driver that scripts/setup-sdk-runtimes.sh installs. */
export function startBrowser(): Promise<Browser> {
  const { chromium } = requireDriver('playwright-core');
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
}
