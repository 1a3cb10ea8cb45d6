// Replaces the module `electron`, which needs a display, by the stand-in beside this file.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'electron') return next(specifier, context);
    return { url: new URL('stand-in.mjs', import.meta.url).href, shortCircuit: true };
  },
});
