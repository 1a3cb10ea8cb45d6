import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { launchPersistentChromium, type Page } from '../../../../tools/browser/chromium.ts';
import { freePort, repositoryRoot } from '../../../guides/test/support/service.ts';

const run = promisify(execFile);
const script = join(repositoryRoot, 'tools', 'lighthouse', 'run.mjs');
const runs = 3;

interface Report {
  readonly scores: { readonly performance: number; readonly accessibility: number; readonly 'best-practices': number };
  /** The audits that cost points. */
  readonly failed: readonly string[];
}

/** Returns the report with the median performance, so that one slow moment of the machine does not count. */
async function reportOf(url: string, port: number, how: Expected): Promise<Report | undefined> {
  const { profile = 'desktop', sessionEntries = {} } = how;
  const options = [url, String(port), profile, JSON.stringify(sessionEntries)];
  const reports: Report[] = [];
  for (let index = 0; index < runs; index += 1) {
    const { stdout } = await run(process.execPath, [script, ...options]);
    reports.push(JSON.parse(stdout));
  }
  const sorted = reports.sort((one, other) => one.scores.performance - other.scores.performance);
  return sorted[Math.floor(runs / 2)];
}

interface Expected {
  /** The least points for performance. */
  readonly performance: number;
  /** Lighthouse's own profiles; `desktop` unless it is set. */
  readonly profile?: 'desktop' | 'mobile';
  /** What the tab's `sessionStorage` holds before the page is opened. */
  readonly sessionEntries?: Readonly<Record<string, string>>;
  /** Brings the storage of the browser into the state that the page needs. */
  prepare?(page: Page): Promise<void>;
}

/** Expects the points of Lighthouse for a page: these for performance, and all for accessibility and best practices. */
export async function expectScores(url: string, expected: Expected): Promise<void> {
  const { performance: pointsMin, prepare } = expected;
  const profile = mkdtempSync(join(tmpdir(), 'licensing-lighthouse-'));
  const port = await freePort();
  const browser = await launchPersistentChromium(profile, [`--remote-debugging-port=${port}`]);
  try {
    await prepare?.(await browser.newPage());
    const report = await reportOf(url, port, expected);
    expect(report?.scores, `audits that cost points: ${report?.failed.join(', ')}`).toEqual({
      performance: expect.toSatisfy((score: number) => score >= pointsMin, `at least ${pointsMin} points`),
      accessibility: 100,
      'best-practices': 100,
    });
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
