import type { ArchiveProgress } from '../tenancy/archive/progress.ts';
import type { Terminal } from './command.ts';

const updateEveryMs = 200;
const mebibyte = 1024 * 1024;

/** Rows, bytes, rows per second and the time that is left, on one line that is written over. */
export function archiveProgress(terminal: Terminal, label = ''): ArchiveProgress {
  let stage = '';
  let total: number | null = null;
  let rows = 0;
  let bytes = 0;
  let startedAtMs = performance.now();
  let shownAtMs = 0;

  function show(): void {
    const seconds = Math.max((performance.now() - startedAtMs) / 1000, 0.001);
    const perSecond = Math.round(rows / seconds);
    const of = total === null ? '' : ` of ${total.toLocaleString('en')}`;
    const left = total === null || perSecond === 0 ? '' : `, ${duration((total - rows) / perSecond)} left`;
    const amount = `${rows.toLocaleString('en')}${of} rows, ${(bytes / mebibyte).toFixed(1)} MiB`;
    terminal.progress(`${label}${stage}: ${amount}, ${perSecond.toLocaleString('en')} rows/s${left}`);
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

function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
