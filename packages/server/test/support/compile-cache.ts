import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The environment with which another process of Node keeps the compiled modules where the program does, also those that are
 * loaded before the program names the folder. It loads all modules of the service in two thirds of the time.
 */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../node_modules/.cache/licensing', import.meta.url)),
};

/** Kills this process with SIGKILL. A killed process does not write its compile cache, so that happens before. */
export function killThisProcess(): void {
  flushCompileCache();
  process.kill(process.pid, 'SIGKILL');
}
