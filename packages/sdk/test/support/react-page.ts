/** A page of React for `react-cases.ts`, which bundles it. The guard is the real one; its client answers as the test says. */
import { createElement, type ReactNode, StrictMode, useLayoutEffect, version } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { renderToString } from 'react-dom/server.browser';
import { rendererLicense } from '../../src/electron/index.ts';
import { LicenseGuard, memoryStore } from '../../src/index.ts';
import { type LicenseSource, type LicenseView, useLicense } from '../../src/react/index.ts';

const calls: string[] = [];
let code = 'LICENSE.VALID';

class CountedGuard extends LicenseGuard {
  override start() {
    calls.push('start');
    return super.start();
  }

  override stop() {
    calls.push('stop');
    return super.stop();
  }
}

const entitlement = { code: 'export', hasAccess: true, expiresAt: null };
const answer = async () => ({
  valid: code === 'LICENSE.VALID',
  code,
  detail: code,
  license: { id: 'license-1' },
  activation: null,
  entitlements: code === 'LICENSE.VALID' ? [entitlement] : [],
});
// The guard uses these fields of an answer and these calls only.
const client = { validate: answer } as never;
let nowMs = Date.parse('2026-11-20T12:00:00Z');
const guard = new CountedGuard({
  ...{ client, licenseKey: 'key', store: memoryStore(), now: () => nowMs, unsigned: true },
});

/** What each component got with its last commit. */
const views: Record<string, LicenseView> = {};

/** Every call of the bridge returns a copy, as that of Electron does. */
function bridgedLicense(): LicenseSource {
  const bridge = {
    state: () => structuredClone(guard.state),
    onChange: (listener: () => void) => guard.on('change', listener),
    refresh: () => guard.refresh(),
  };
  Object.assign(globalThis, { licensing: bridge });
  return rendererLicense();
}

let source: LicenseSource = guard;

function Status({ name }: { readonly name: string }) {
  const view = useLicense(source);
  useLayoutEffect(() => {
    views[name] = view;
  });
  const text = view.isChecking ? 'checking' : `${view.reason} ${view.has('export')}`;
  return createElement('p', { id: name }, text);
}

let root: Root;
const recovered: string[] = [];
const tree = (names: readonly string[]): ReactNode =>
  createElement(
    StrictMode,
    null,
    names.map((name) => createElement(Status, { key: name, name })),
  );
const container = () => document.getElementById('root') as HTMLElement;

/** What the test calls. */
const page = {
  version,
  calls,
  guard,
  answerWith(next: string) {
    code = next;
  },
  show(...names: readonly string[]) {
    root ??= createRoot(container());
    root.render(tree(names));
  },
  useBridge() {
    source = bridgedLicense();
  },
  serverText: (...names: readonly string[]) => renderToString(tree(names)),
  hydrate(...names: readonly string[]) {
    container().innerHTML = renderToString(tree(names));
    root = hydrateRoot(container(), tree(names), { onRecoverableError: (error) => recovered.push(String(error)) });
  },
  /** Passes time on the clock of the guard. */
  pass(durationMs: number) {
    nowMs += durationMs;
  },
  /** Resolves when everything has run that what React rendered has put off, such as the end of a guard without users. */
  async settle() {
    flushSync(() => undefined);
    await new Promise((done) => setTimeout(done, 0));
  },
  recovered,
  texts: () => [...document.querySelectorAll('p')].map(({ textContent }) => textContent),
  haveOneView: (...names: readonly string[]) => new Set(names.map((name) => views[name])).size === 1,
  checkedAt: (name: string) => views[name]?.checkedAt?.getTime(),
};

Object.assign(globalThis, { page });
