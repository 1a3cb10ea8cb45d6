import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  axeScript,
  type Browser,
  type BrowserContext,
  launchChromium,
  type Page,
  rulesOfColours,
} from '../../../../tools/browser/chromium.ts';
import { eventually } from '../../../../tools/eventually.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../../../server/test/support/accounts.ts';
import { freePort } from '../../../server/test/support/free-port.ts';
import { type TestApp, useApp } from '../../../server/test/support/harness.ts';

/** How a browser window looks. */
export interface WindowOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** The language of the browser; English unless given. */
  readonly locale?: string;
}

/** A phone in dark colours. */
export const narrow: WindowOptions = { width: 360, height: 740, colorScheme: 'dark' };

/** Finds a button by its accessible name. */
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
/** Finds a link by its accessible name. */
export const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
/** Finds an open dialog by its title. */
export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
/** Finds the heading of the screen. */
export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** Windows of a real browser that show the dashboard of one service. */
export interface Windows {
  /** Opens a window with storage of its own. Its tabs share the storage: `page.context().newPage()`. */
  openWindow(options?: WindowOptions): Promise<Page>;
  /** Opens a window with the session of an account at a path, whose beginning decides the area, and waits for its heading. */
  open(account: Pick<Account, 'token'>, path: string, options?: WindowOptions): Promise<Page>;
  /** Declares a failure that the test causes on purpose, such as `401 /api/v1/auth/login`. */
  expectFailure(pattern: RegExp): void;
}

/** A service with its dashboard, and windows that show it. */
export interface Dashboard extends Windows {
  readonly app: TestApp;
  /** A super admin. */
  readonly admin: Account;
  /** Creates a tenant with an owner and an API key. */
  newTenant(name: string): Promise<TestTenant>;
  /** The address of the service, without a slash at the end. */
  readonly origin: string;
}

/** The limit only ends tests that hang. It is generous because a busy machine is not a failure. */
const settlesWithinMs = 90_000;

let browser: Promise<Browser> | undefined;

/** Returns the browser of this worker process, which all its suite files share. It ends with the process. */
function sharedBrowser(): Promise<Browser> {
  browser ??= launchChromium();
  return browser;
}

/** Reports violations of the Content Security Policy, which Chromium does not always write to the console. */
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' refuses ' + (event.blockedURI || event.sample));
});`;

/** What went wrong in the browser during a test; each entry is a sentence. */
function watch(page: Page, origin: string, failures: string[]): void {
  page.on('console', (message) => {
    // Chromium reports each refused request here as well; `response` below judges those.
    const isRefusedRequest = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusedRequest) failures.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => failures.push(`exception: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) failures.push(`other origin: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'failed';
    // The page cancels requests whose result it no longer needs.
    if (reason !== 'net::ERR_ABORTED') failures.push(`${reason} ${new URL(request.url()).pathname}`);
  });
  page.on('response', (response) => {
    if (response.status() < 400) return;
    failures.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
}

/** A window of `open`, which the next test of the file that wants the same options uses again. */
interface SignedInWindow {
  readonly page: Page;
  readonly options: WindowOptions;
  readonly signedIn: { dispose(): Promise<void> };
}

/**
 * Opens windows for the tests of a suite file. After each test, or after the last one if `areKept`, it closes those of
 * `openWindow`. A window of `open` waits without its session for a test that wants the same options: it has compiled the
 * application and axe, so it loads a screen in a third of the time. A test fails on a console error, a violation of the
 * Content Security Policy, an exception, a failed request that it did not declare, or a request to another origin than the
 * service's.
 */
export function useWindows(originOf: () => string, { areKept = false } = {}): Windows {
  const failures: string[] = [];
  let expected: RegExp[] = [];
  let contexts: BrowserContext[] = [];
  let inUse: SignedInWindow[] = [];
  const waiting = new Map<string, Page[]>();
  const close = async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
  };
  async function leave({ page, options, signedIn }: SignedInWindow): Promise<void> {
    await resetWindow(page, options);
    await signedIn.dispose();
    const name = JSON.stringify(options);
    waiting.set(name, [...(waiting.get(name) ?? []), page]);
    contexts = contexts.filter((context) => context !== page.context());
  }
  afterAll(async () => {
    contexts.push(...[...waiting.values()].flat().map((page) => page.context()));
    await close();
  });
  afterEach(async ({ task }) => {
    // What a failed test left behind must not fail the next one.
    if (task.result?.state !== 'fail') for (const window of inUse) await leave(window);
    inUse = [];
    if (!areKept) await close();
    const unexpected = failures.filter((failure) => !expected.some((pattern) => pattern.test(failure)));
    expected = [];
    failures.length = 0;
    expect(unexpected.join('\n'), 'failures in the browser').toBe('');
  });
  async function openWindow(options: WindowOptions = {}): Promise<Page> {
    const launched = await sharedBrowser();
    const origin = originOf();
    const { locale = 'en-US' } = options;
    // No test is about an animation, and a click waits until its target stands still.
    const look = { ...lookOf(options), reducedMotion: 'reduce' } as const;
    const context = await launched.newContext({ baseURL: origin, locale, ...look });
    context.setDefaultTimeout(settlesWithinMs);
    await context.addInitScript(reportViolations);
    context.on('page', (page) => watch(page, origin, failures));
    contexts.push(context);
    return context.newPage();
  }
  async function emptyWindow(options: WindowOptions): Promise<Page> {
    const page = waiting.get(JSON.stringify(options))?.pop();
    if (page === undefined) return openWindow(options);
    contexts.push(page.context());
    // A document of the same origin that starts no application, which would write its storage again.
    await page.goto('/health');
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    return page;
  }
  return {
    openWindow,
    async open({ token }, path, options = {}) {
      const page = await emptyWindow(options);
      const signedIn = await signIn(page, { token, area: path.startsWith('/admin') ? 'admin' : 'tenant' });
      inUse.push({ page, options, signedIn });
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      return page;
    },
    expectFailure: (pattern) => void expected.push(pattern),
  };
}

const lookOf = ({ colorScheme = 'light', width = 1440, height = 900 }: WindowOptions) => ({
  colorScheme,
  viewport: { width, height },
});

/** Leaves the application, and takes back what a test changed at its window. */
async function resetWindow(page: Page, options: WindowOptions): Promise<void> {
  const context = page.context();
  await Promise.all(context.pages().map((other) => other !== page && other.close()));
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  await page.goto('about:blank');
  const { colorScheme, viewport } = lookOf(options);
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
}

/**
 * Starts one service for the suite file, whose `PUBLIC_URL` is its address. `env` can be a function of the address, for
 * settings that depend on it.
 */
export function useDashboard(
  env: NodeJS.ProcessEnv | ((origin: string) => Promise<NodeJS.ProcessEnv>) = {},
): Dashboard {
  const service = useApp(async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    return { PORT: String(port), PUBLIC_URL: address, ...(typeof env === 'function' ? await env(address) : env) };
  });
  let origin = '';
  let admin: Account | undefined;
  beforeAll(async () => {
    origin = (await service.app.listen()).replace(/\/$/, '');
    admin = await createAdmin(service.app);
  });
  const theAdmin = () => {
    if (admin === undefined) throw new Error('The admin exists only inside tests and hooks.');
    return admin;
  };
  return {
    ...useWindows(() => origin),
    get app() {
      return service.app;
    },
    get origin() {
      return origin;
    },
    get admin() {
      return theAdmin();
    },
    newTenant: (name) => createTenant(service.app, theAdmin(), name),
  };
}

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules whose result depends on the colours or on the size of the window. The others judge the document alone. */
const rulesOfLook = [...rulesOfColours, 'scrollable-region-focusable', 'target-size'];

/**
 * Expects that axe finds nothing on the page, dialogs and menus included. It asks again while the page changes: a page
 * that is still empty and a menu that is closing have faults that no reader meets.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNoViolations(page, { type: 'tag', values: allRules });
}

/** Expects the same of a page that passed `expectAccessible` and has other colours or another size now. */
export async function expectAccessibleLook(page: Page): Promise<void> {
  await expectNoViolations(page, { type: 'rule', values: rulesOfLook });
}

/** Expects the same of a page that passed `expectAccessible` and has the texts of another language, or another size, now. */
export async function expectAccessibleTexts(page: Page): Promise<void> {
  const rules = Object.fromEntries(rulesOfColours.map((rule) => [rule, { enabled: false }]));
  await expectNoViolations(page, { type: 'tag', values: allRules }, rules);
}

async function expectNoViolations(
  page: Page,
  runOnly: { type: 'tag' | 'rule'; values: string[] },
  rules: Record<string, { enabled: boolean }> = {},
): Promise<void> {
  // A tooltip under the pointer is in no landmark, and need not be.
  await page.mouse.move(0, 0);
  // A window that shows one screen after the other keeps the script.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axeScript);
  await eventually(async () =>
    expect(await violationsOn(page, { runOnly, rules }), `axe on ${page.url()}`).toEqual([]),
  );
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

async function violationsOn(page: Page, choice: object): Promise<string[]> {
  // The page returns the violations only. A complete result also lists every rule and element that passed.
  const run = `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...choice })})`;
  const violations = await page.evaluate<Violation[]>(`${run}.then(({ violations }) => violations)`);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`));
}

/**
 * Logs in as a page does: with a session in the storage, before the application starts. The result no longer writes the session
 * after it was disposed of.
 */
export async function signIn(
  page: Page,
  { token, area = 'tenant', tenantId }: { token: string; area?: 'tenant' | 'admin'; tenantId?: string },
): Promise<{ dispose(): Promise<void> }> {
  const session = JSON.stringify({ token, expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
  const entries = { [`licensing.${area}-session`]: session, ...(tenantId && { 'licensing.tenant-id': tenantId }) };
  return page.context().addInitScript((stored) => {
    // A sandboxed frame, such as the preview of a mail, has no storage.
    if (window.origin === 'null') return;
    for (const [key, value] of Object.entries(stored))
      if (localStorage.getItem(key) === null) localStorage.setItem(key, value);
  }, entries);
}
