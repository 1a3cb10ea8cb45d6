/**
 * Preloaded into a process under test. Measures the turns of its event loop: the CPU time that the main thread spends
 * between two runs of a timer is the work for which everything else in the process waited. It does not grow when other
 * processes use the machine, unlike the elapsed time. Replies to each message with the longest turn since the last one.
 */

/** The longest turns since the last report, in milliseconds. */
export interface Turns {
  /** The most CPU time of the main thread in one turn. */
  readonly cpuMs: number;
  /** The longest elapsed time of one turn, including waits for the disk and for other processes. */
  readonly elapsedMs: number;
}

const tickMs = 2;

function cpuNowMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

let longest: Turns = { cpuMs: 0, elapsedMs: 0 };
let lastCpuMs = cpuNowMs();
let lastMs = performance.now();

const tick = () => {
  const [nowMs, nowCpuMs] = [performance.now(), cpuNowMs()];
  longest = {
    cpuMs: Math.max(longest.cpuMs, nowCpuMs - lastCpuMs),
    elapsedMs: Math.max(longest.elapsedMs, nowMs - lastMs),
  };
  lastMs = nowMs;
  lastCpuMs = nowCpuMs;
};

setInterval(tick, tickMs).unref();
process.on('message', () => {
  tick();
  process.send?.(longest);
  longest = { cpuMs: 0, elapsedMs: 0 };
});
process.channel?.unref();
