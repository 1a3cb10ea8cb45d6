/**
 * Returns a signal that aborts at the first SIGINT or SIGTERM; a second one ends the process as usual. The caller must
 * call `release` when the work is done.
 */
export function stopSignal(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const stop = () => {
    controller.abort();
    release();
  };
  const release = () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: controller.signal, release };
}
