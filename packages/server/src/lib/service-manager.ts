import { execFile } from 'node:child_process';

/** The states that systemd learns (https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html). */
type State = 'READY=1' | 'STOPPING=1' | 'WATCHDOG=1';

/** The connection to the service manager that started this process. */
export interface ServiceManager {
  /** Reports that the service serves, and from now on that the event loop runs, as often as the watchdog requires. */
  ready(): void;
  /** Reports that the service stops. */
  stopping(): void;
}

/**
 * Connects to systemd, if it started this process as a service of `Type=notify`. Node has no datagram sockets of UNIX, so
 * systemd's own `systemd-notify` sends each message; the unit therefore needs `NotifyAccess=all`.
 */
export function connectServiceManager(env: NodeJS.ProcessEnv, onError: (error: Error) => void): ServiceManager {
  if (!env['NOTIFY_SOCKET']) return { ready: () => undefined, stopping: () => undefined };
  let hasFailed = false;
  const notify = (state: State): void => {
    execFile('systemd-notify', [state], { env }, (error) => {
      if (error !== null && !hasFailed) onError(error);
      hasFailed = error !== null;
    });
  };
  const watchdogMs = Number(env['WATCHDOG_USEC'] ?? 0) / 1000;
  return {
    ready() {
      notify('READY=1');
      // sd_watchdog_enabled(3) recommends half the time; a third leaves room for a busy machine.
      if (watchdogMs > 0) setInterval(notify, watchdogMs / 3, 'WATCHDOG=1').unref();
    },
    stopping: () => notify('STOPPING=1'),
  };
}
