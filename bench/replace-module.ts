/**
 * Preloaded with `--import`: the service then reads the rows that `db/sqlite/unchanged-reads.ts` would keep. Node's
 * loader replaces the module, so the service itself needs no switch.
 */
import { accessSync } from 'node:fs';
import { registerHooks } from 'node:module';

const replaced = new URL('../packages/server/src/db/sqlite/unchanged-reads.ts', import.meta.url);
const replacement = new URL('servers/no-unchanged-reads.ts', import.meta.url);

// Throws if the module was renamed: otherwise the service would run unchanged.
accessSync(replaced);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    return resolved.url === replaced.href ? { ...resolved, url: replacement.href } : resolved;
  },
});
