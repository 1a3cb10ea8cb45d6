import { isIP } from 'node:net';
import closeWithGrace from 'close-with-grace';
import { type Logger, pino } from 'pino';
import { type App, buildApp } from '../app.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { takeServeLock } from '../db/sqlite/serve-lock.ts';
import { defineCommand, exitCodes } from './command.ts';
import { demoInstructions } from './demo/instructions.ts';
import { prepareDemo } from './demo/prepare.ts';

/** How long requests in flight may take once the process is told to stop. */
export const stopWithinMs = 10_000;

/** Serves until a signal comes. */
export const serve = defineCommand({
  name: 'serve',
  summary: 'Serve the API.',
  details:
    'Stops on SIGTERM and SIGINT: requests in flight are finished, for 10 s at most; a second signal ends it at once.\n' +
    'The log is JSON on standard output. Without DATABASE_URL one process at a time can serve a data directory.',
  options: {
    demo: { type: 'boolean', description: 'Make demo data once and print how to use it. Only on a loopback HOST.' },
  },
  async run({ terminal, values: { demo = false } }) {
    // The first thing that somebody sees of a demo should be the demo, not its log.
    const isQuiet = demo && terminal.isInteractive && !terminal.env['LOG_LEVEL'];
    const config = loadConfig({
      ...terminal.env,
      ...(isQuiet && { LOG_LEVEL: 'warn' }),
      // Everything of a demo works at once, and nobody but this machine can buy with a test card.
      ...(demo && { PAYMENT_PROVIDER: terminal.env['PAYMENT_PROVIDER'] || 'sandbox' }),
    });
    if (demo) assertLoopback(config);
    // Lines that wait are written together, and on exit: a write per line would hold up the requests.
    const logger = pino({ level: config.logLevel }, pino.destination({ dest: 1, sync: false }));
    warnOfSandbox(config, logger);
    const lock = config.databaseUrl === null ? takeServeLock(config.dataDir) : undefined;
    try {
      const app = await buildApp(config, { logger });
      const state = demo ? await preparing(app) : undefined;
      const address = await listen(app, logger, () => lock?.release());
      if (state === undefined) terminal.note(`Serving on ${address}`);
      else terminal.print(demoInstructions(address, state));
      return exitCodes.done;
    } catch (error) {
      lock?.release();
      throw error;
    }
  },
});

/** The demo prints passwords and an API key: they must open nothing to the network. */
function assertLoopback({ host }: Config): void {
  if (isLoopback(host)) return;
  throw new ConfigError(['The demo serves this machine only: remove HOST, or start "licensing serve" without --demo.']);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function warnOfSandbox({ host, paymentProvider }: Config, logger: Logger): void {
  if (paymentProvider !== 'sandbox' || isLoopback(host)) return;
  logger.warn(
    'PAYMENT_PROVIDER is sandbox: whoever reaches this service gets any paid plan with a test card. Set it to stripe or none.',
  );
}

async function preparing(app: App) {
  return closingOnFailure(app, () => prepareDemo(app.services));
}

async function listen(app: App, logger: Logger, afterClose: () => void): Promise<string> {
  const graceful = closeWithGrace(
    {
      delay: stopWithinMs,
      logger: { error: (message: unknown) => logger.error(String(message)) },
      onSecondSignal: (signal) => logger.error(`${signal} came a second time: the process ends at once`),
      onTimeout: () => logger.error(`requests in flight took longer than ${stopWithinMs / 1000} s: the process ends`),
    },
    async ({ err, signal }) => {
      if (err) logger.fatal({ err }, 'an error that nothing handled: the process stops');
      else logger.info(`stopping${signal === undefined ? '' : ` on ${signal}`}`);
      await app.close();
      afterClose();
    },
  );
  return closingOnFailure(app, () => app.listen(), graceful.uninstall);
}

async function closingOnFailure<Result>(
  app: App,
  work: () => Promise<Result>,
  onFailure: () => void = () => undefined,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    onFailure();
    await app.close();
    throw error;
  }
}
