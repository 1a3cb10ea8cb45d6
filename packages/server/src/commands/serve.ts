import closeWithGrace from 'close-with-grace';
import { type Logger, pino } from 'pino';
import type { App } from '../app.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { assertWritable, prepareDataDir } from '../config/data-dir.ts';
import { ConfigError } from '../config/environment-reader.ts';
import { type ServeLock, takeServeLock } from '../db/sqlite/serve-lock.ts';
import { isLoopback } from '../lib/cidr.ts';
import { createLogDestination } from '../lib/log-destination.ts';
import { connectServiceManager, type ServiceManager } from '../lib/service-manager.ts';
import { metricsAccess } from '../metrics/metrics-access.ts';
import { build, serviceVersion } from '../version.ts';
import { defineCommand, type ExitCode, exitCodes, type Terminal } from './command.ts';
import { demoInstructions } from './demo/instructions.ts';
import { sentenceOf } from './failure.ts';

/** The maximum time for requests in flight to finish once the service has stopped accepting connections. */
export const stopWithinMs = 10_000;

/** Runs the service until a stop signal arrives. */
export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the service.',
  details:
    'SIGTERM and SIGINT stop it: requests in flight get up to 10 s to finish; a second signal ends the process at\n' +
    'once. After SIGTERM it first serves for DRAIN_SECONDS (5) more, while /health/ready is 503. The log is JSON on\n' +
    'standard output. Without DATABASE_URL, only one process can use a data directory.',
  options: {
    demo: { type: 'boolean', description: 'Create demo data once and print how to use it. Only on a loopback HOST.' },
  },
  async run({ terminal, values: { demo = false } }) {
    try {
      return await start(terminal, demo);
    } catch (error) {
      logFailedStart(terminal, error);
      throw error;
    }
  },
});

async function start(terminal: Terminal, demo: boolean): Promise<ExitCode> {
  // On a terminal, the demo's instructions would be lost among the log lines of the start.
  const isQuiet = demo && terminal.isInteractive && !terminal.env['LOG_LEVEL'];
  const config = loadConfig({
    ...terminal.env,
    ...(isQuiet && { LOG_LEVEL: 'warn' }),
    // The sandbox makes purchases in the demo work at once; only this machine can reach it.
    ...(demo && { PAYMENT_PROVIDER: terminal.env['PAYMENT_PROVIDER'] || 'sandbox' }),
  });
  if (demo) assertLoopback(config);
  const destination = createLogDestination();
  const logger = pino({ level: config.logLevel }, destination);
  try {
    return await serveUntilStopped(terminal, demo, config, logger);
  } catch (error) {
    // The line about the failure comes last.
    destination.flushSync();
    throw error;
  }
}

async function serveUntilStopped(
  terminal: Terminal,
  isDemo: boolean,
  config: Config,
  logger: Logger,
): Promise<ExitCode> {
  logger.info({ version: serviceVersion, ...build }, 'starting');
  for (const sentence of config.warnings) logger.warn(sentence);
  warnOfSandbox(config, logger);
  warnOfMetrics(config, logger);
  const lock = config.databaseUrl === null ? lockDataDir(config) : undefined;
  const manager = connectServiceManager(terminal.env, (error) =>
    logger.warn(
      { err: error },
      'the service manager was not told the state of the service: is systemd-notify installed?',
    ),
  );
  try {
    const { buildApp } = await import('../app.ts');
    const app = await buildApp(config, { logger });
    const state = isDemo ? await prepareOrClose(app) : undefined;
    const address = await listen(app, config, { logger, manager, afterClose: () => lock?.release() });
    manager.ready();
    if (app.metricsHttp !== null) terminal.note(`Metrics on ${app.metricsHttp.listeningOrigin}/metrics`);
    if (state === undefined) terminal.note(`Serving on ${address}`);
    else terminal.print(demoInstructions(address, state));
    return exitCodes.done;
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** Adds the failure to the log, which is read by programs. Standard error has it for people. */
function logFailedStart({ env, isInteractive, print }: Terminal, error: unknown): void {
  if (isInteractive || env['LOG_LEVEL'] === 'silent') return;
  pino({}, { write: (line) => print(line.trimEnd()) }).fatal(`the service did not start: ${sentenceOf(error)}`);
}

/** Checks the data directory before it creates anything in it, and takes its lock. */
function lockDataDir(config: Config): ServeLock {
  prepareDataDir(config);
  assertWritable(config.dataDir);
  return takeServeLock(config.dataDir);
}

/** The demo prints passwords and an API key, so it must not be reachable from the network. */
function assertLoopback({ host }: Config): void {
  if (isLoopback(host)) return;
  throw new ConfigError([
    'HOST must be a loopback address with --demo: remove HOST, or start "licensing serve" without --demo.',
  ]);
}

function warnOfSandbox({ host, paymentProvider }: Config, logger: Logger): void {
  if (paymentProvider !== 'sandbox' || isLoopback(host)) return;
  logger.warn(
    'PAYMENT_PROVIDER is sandbox: anyone who can reach this service can get a paid plan with a test card. Set it to stripe or none.',
  );
}

/** States at the start what a scrape would find out: by default, other machines cannot read the metrics. */
function warnOfMetrics(config: Config, logger: Logger): void {
  if (metricsAccess(config) !== 'nobody') return;
  logger.warn(
    '/metrics is refused, because HOST is not a loopback address: to read it, set METRICS_TOKEN (a bearer token) or METRICS_PORT (a port for metrics only).',
  );
}

async function prepareOrClose(app: App) {
  const { prepareDemo } = await import('./demo/prepare.ts');
  return closingOnFailure(app, () => prepareDemo(app.services));
}

interface ListenOptions {
  readonly logger: Logger;
  readonly manager: ServiceManager;
  readonly afterClose: () => void;
}

async function listen(app: App, { drainMs }: Config, { logger, manager, afterClose }: ListenOptions): Promise<string> {
  const graceful = closeWithGrace(
    {
      delay: drainMs + stopWithinMs,
      logger: { error: (message: unknown) => logger.error(String(message)) },
      onSecondSignal: (signal) =>
        logger.error(`second ${signal}: the process exits without waiting for requests in flight`),
      onTimeout: () => logger.error(`requests in flight took longer than ${stopWithinMs / 1000} s: the process exits`),
    },
    async ({ err, signal }) => {
      if (err) logger.fatal({ err }, 'unhandled error: the process stops');
      else logger.info(`stopping${signal === undefined ? '' : ` on ${signal}`}`);
      manager.stopping();
      // Nothing leads requests elsewhere when somebody stops the service on a terminal, or when it has failed.
      if (signal === 'SIGTERM' && app.http.server.listening) await app.drain();
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
