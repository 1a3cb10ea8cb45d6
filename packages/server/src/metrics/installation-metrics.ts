import { Gauge, type Registry } from 'prom-client';
import { build, serviceVersion } from '../version.ts';
import { readOrReport } from './backlog-metrics.ts';

/** What `/metrics` reports of the installation's platform database. */
export interface InstallationState {
  /** When the newest complete backup began, in milliseconds since 1970; null without one. */
  readonly lastBackupMs: number | null;
  /** How far the clock of PostgreSQL is ahead of this node's, in milliseconds; null on the embedded engine. */
  readonly clockDifferenceMs: number | null;
}

/** Registers the version and the commit of the service as a metric. Its value is always 1. */
export function registerBuild(registers: Registry[]): void {
  const labels = { version: serviceVersion, commit: build.commit, committed_at: build.committedAt };
  const help = 'The version, commit and time of the service; always 1.';
  new Gauge({ name: 'licensing_build_info', help, labelNames: Object.keys(labels), registers }).set(labels, 1);
}

/**
 * Registers the metrics of the installation. `read` is called whenever metrics are read, and `onError` when an outage
 * begins; meanwhile they are NaN.
 */
export function watchInstallation(
  registers: Registry[],
  read: () => Promise<InstallationState>,
  { hasPostgres, onError }: { readonly hasPostgres: boolean; readonly onError: (error: unknown) => void },
): void {
  const readState = readOrReport(read, onError);
  const gauge = (name: string, help: string, pick: (state: InstallationState) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const state = await readState();
        this.set(state === undefined ? Number.NaN : pick(state) / 1000);
      },
    });
  gauge(
    'backup_last_success_timestamp_seconds',
    'When the newest complete backup of this installation began, in Unix seconds; 0 without a backup.',
    ({ lastBackupMs }) => lastBackupMs ?? 0,
  );
  if (!hasPostgres) return;
  gauge(
    'postgres_clock_difference_seconds',
    "Seconds by which the clock of PostgreSQL is ahead of this node's; negative if it is behind.",
    ({ clockDifferenceMs }) => clockDifferenceMs ?? Number.NaN,
  );
}
