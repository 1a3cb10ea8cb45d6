import { randomBytes } from 'node:crypto';
import { defineCommand, exitCodes } from './command.ts';

/** Prints the key alone on standard output, so that it can be stored by a script. */
export const keysGenerate = defineCommand({
  name: 'keys generate',
  summary: 'Make an application key for APP_KEY.',
  details:
    'The key goes to standard output and is stored nowhere. It signs and encrypts: keep it as you keep passwords.',
  options: {},
  run({ terminal }) {
    terminal.print(randomBytes(32).toString('hex'));
    terminal.note('Set this as APP_KEY on every node. To rotate: set it as APP_KEY, add the key used so far to');
    terminal.note('APP_PREVIOUS_KEYS, and restart every node. What was hashed under the old key moves to the new one');
    terminal.note('when it is used; API keys and tokens not used before the old key is removed stop working then.');
    return Promise.resolve(exitCodes.done);
  },
});
