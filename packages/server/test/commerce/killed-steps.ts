/** Wraps an object so that its named functions count as steps of the process. */
export type CountSteps = <Target extends object>(target: Target, names: readonly (keyof Target)[]) => Target;

/**
 * Returns a function that wraps objects: the process kills itself with SIGKILL once the given number of calls of the
 * named functions have ended.
 */
export function killAfterSteps(steps: number): CountSteps {
  let left = steps;
  return (target, names) =>
    new Proxy(target, {
      get(object, name) {
        const value = Reflect.get(object, name, object) as unknown;
        if (typeof value !== 'function') return value;
        const call = (...args: unknown[]) => Reflect.apply(value, object, args) as unknown;
        if (!names.includes(name as keyof typeof target)) return call;
        return async (...args: unknown[]) => {
          const result = await call(...args);
          left -= 1;
          if (left === 0) process.kill(process.pid, 'SIGKILL');
          return result;
        };
      },
    });
}
