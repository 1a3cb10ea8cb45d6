/**
 * Preloaded with `--import` (`replacingModule`): Node's loader then gives a process another module instead of one of
 * the service's, so the service itself needs no switch. Threads inherit it.
 */
import { accessSync } from 'node:fs';
import { registerHooks } from 'node:module';

const { BENCH_REPLACED: replaced = '', BENCH_REPLACEMENT: replacement = '' } = process.env;

// Throws if the module was renamed: otherwise the service would run unchanged.
accessSync(new URL(replaced));

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    // A replacement may itself import the module that it replaces.
    const isReplaced = resolved.url === replaced && context.parentURL !== replacement;
    return isReplaced ? { ...resolved, url: replacement } : resolved;
  },
});
