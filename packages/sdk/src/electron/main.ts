import { configurationError, given } from '../error.ts';
import type { LicenseFacts, LicenseState } from '../guard/state.ts';
import type { LicenseSource } from '../license-source.ts';

/** What the module uses of a frame, a `WebFrameMain` of Electron. */
export interface ElectronFrame {
  readonly origin: string;
  send(channel: string, content: unknown): void;
}

/** What the module uses of the event of a call. */
export interface ElectronCall {
  readonly senderFrame: ElectronFrame | null;
}

/** What the module uses of `ipcMain`. */
export interface ElectronIpcMain {
  handle(channel: string, handler: (call: ElectronCall) => unknown): void;
  removeHandler(channel: string): void;
}

/** The options of `exposeLicense`. */
export interface ExposeLicenseOptions {
  readonly guard: LicenseSource;
  readonly ipcMain: ElectronIpcMain;
  /**
   * The origins of the application's own pages, as `frame.origin` has them: `file://` for `loadFile`, `app://editor` for
   * a standard scheme of your own, `http://localhost:5173` during development. Other frames learn nothing.
   */
  readonly origins: readonly string[];
}

/**
 * Answers the preload script `@licensing/sdk/electron/preload` in the main process: pages of the application learn the
 * state of the guard, hear its changes, and have it checked again, but never see the license key or the certificate. Call
 * it once, before the first window. Returns the function that ends it. The guard is yours to start and stop.
 */
export function exposeLicense(options: ExposeLicenseOptions): () => void {
  const { guard, ipcMain, origins } = given(options, 'exposeLicense({ guard, ipcMain, origins })');
  const frames = new Set<ElectronFrame>();

  const assertOwn = (frame: ElectronFrame | null): ElectronFrame => {
    if (frame && origins.includes(frame.origin)) return frame;
    throw configurationError(
      `A page of ${frame?.origin ?? 'a closed frame'} asked for the license. Add its origin to \`origins\` if it is yours.`,
    );
  };
  const send = (frame: ElectronFrame) => {
    try {
      // It may show another page by now.
      assertOwn(frame).send('licensing:changed' satisfies Channel, publicState(guard.state));
    } catch {
      // Electron throws for a frame that was closed.
      frames.delete(frame);
    }
  };
  const stopListening = guard.on('change', () => {
    for (const frame of frames) send(frame);
  });
  const handlers: Readonly<Record<Exclude<Channel, 'licensing:changed'>, (frame: ElectronFrame) => unknown>> = {
    // The state goes the way of all changes, so that the last one to arrive is the newest.
    'licensing:subscribe': (frame) => {
      frames.add(frame);
      send(frame);
    },
    'licensing:refresh': async () => publicState(await guard.refresh()),
  };
  for (const [channel, handler] of Object.entries(handlers)) {
    ipcMain.handle(channel, ({ senderFrame }) => handler(assertOwn(senderFrame)));
  }
  return () => {
    stopListening();
    for (const channel of Object.keys(handlers)) ipcMain.removeHandler(channel);
  };
}

/** The channels between the main process and the preload script, which cannot import a constant. */
export type Channel = 'licensing:subscribe' | 'licensing:refresh' | 'licensing:changed';

/** Only named fields reach a page: the verdict and the license of an answer contain the license key. */
function publicState(state: LicenseState): LicenseState {
  const { status, reason, detail, message, until, checkedAt, entitlements } = state;
  return { status, reason, detail, message, until, checkedAt, entitlements, license: publicFacts(state.license) };
}

function publicFacts(license: LicenseFacts | null): LicenseFacts | null {
  if (license === null) return null;
  const { expiresAt, maintenanceExpiresAt, maxActivations } = license;
  return { expiresAt, maintenanceExpiresAt, maxActivations, holder: { name: license.holder.name } };
}
