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
