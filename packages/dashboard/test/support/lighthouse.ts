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
async function reportOf(url: string, port: number): Promise<Report | undefined> {
  const reports: Report[] = [];
  for (let index = 0; index < runs; index += 1) {
    const { stdout } = await run(process.execPath, [script, url, String(port)]);
    reports.push(JSON.parse(stdout));
  }
  const sorted = reports.sort((one, other) => one.scores.performance - other.scores.performance);
  return sorted[Math.floor(runs / 2)];
}

interface Expected {
  /** The least points for performance. */
  readonly performance: number;
  /** Brings the storage of the browser into the state that the page needs. */
  prepare(page: Page): Promise<void>;
}

/** Expects the points of Lighthouse for a page: these for performance, and all for accessibility and best practices. */
export async function expectScores(url: string, { performance: pointsMin, prepare }: Expected): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'licensing-lighthouse-'));
  const port = await freePort();
  const browser = await launchPersistentChromium(profile, [`--remote-debugging-port=${port}`]);
  try {
    await prepare(await browser.newPage());
    const report = await reportOf(url, port);
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
