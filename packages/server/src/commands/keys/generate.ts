import { randomBytes } from 'node:crypto';
import { defineCommand, exitCodes } from '../command.ts';

/** Prints only the key on standard output, so that a script can store it. */
export const keysGenerate = defineCommand({
  name: 'keys generate',
  summary: 'Generate an application key for APP_KEY.',
  details:
    'The key is printed to standard output and stored nowhere. It signs and encrypts data: keep it as safe as a password.',
  options: {},
  run({ terminal }) {
    terminal.print(randomBytes(32).toString('hex'));
    terminal.note(
      'Set this as APP_KEY on every node. To replace the key, set the new one as APP_KEY, add the current one',
    );
    terminal.note(
      'to APP_PREVIOUS_KEYS, restart every node, and run "licensing keys reseal". API keys and tokens are rehashed when',
    );
    terminal.note('they are used. Those not used before you remove the old key from APP_PREVIOUS_KEYS stop working.');
    return Promise.resolve(exitCodes.done);
  },
});
