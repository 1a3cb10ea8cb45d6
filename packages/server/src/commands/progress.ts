import type { ArchiveProgress } from '../tenancy/archive/progress.ts';
import type { Terminal } from './command.ts';

const updateEveryMs = 200;
const mebibyte = 1024 * 1024;

/** Shows rows, bytes, rows per second and the remaining time on one line, which each update overwrites. */
export function archiveProgress(terminal: Terminal, label = ''): ArchiveProgress {
  let stage = '';
  let total: number | null = null;
  let rows = 0;
  let bytes = 0;
  let startedAtMs = performance.now();
  let shownAtMs = 0;

  function show(): void {
    const of = total === null ? '' : ` of ${total.toLocaleString('en')}`;
    const amount = `${rows.toLocaleString('en')}${of} rows, ${(bytes / mebibyte).toFixed(1)} MiB`;
    terminal.progress(`${label}${stage}: ${amount}, ${paceOf(rows, total, startedAtMs, ' rows')}`);
  }

  return {
    begin(nextStage, nextTotal) {
      stage = nextStage;
      total = nextTotal;
      rows = 0;
      bytes = 0;
      startedAtMs = performance.now();
      shownAtMs = 0;
    },
    advance(moreRows, moreBytes) {
      rows += moreRows;
      bytes += moreBytes;
      if (!terminal.isInteractive || performance.now() - shownAtMs < updateEveryMs) return;
      shownAtMs = performance.now();
      show();
    },
  };
}

/** Returns the rate and the estimated remaining time, such as `310/s, 12 s left`; without a total only the rate. */
export function paceOf(done: number, total: number | null, startedAtMs: number, unit = ''): string {
  const seconds = Math.max((performance.now() - startedAtMs) / 1000, 0.001);
  const perSecond = Math.round(done / seconds);
  const left = total === null || perSecond === 0 ? '' : `, ${duration((total - done) / perSecond)} left`;
  return `${perSecond.toLocaleString('en')}${unit}/s${left}`;
}

function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
