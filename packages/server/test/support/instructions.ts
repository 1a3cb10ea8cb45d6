const verbs = [
  ...['activate', 'add', 'archive', 'ask', 'buy', 'call', 'cancel', 'change', 'check', 'choose', 'close', 'compare'],
  ...[
    'connect',
    'contact',
    'correct',
    'create',
    'release',
    'delete',
    'drop',
    'embed',
    'enable',
    'enter',
    'fetch',
    'finalize',
    'follow',
  ],
  ...['give', 'grant', 'invite', 'issue', 'leave', 'let', 'list', 'log in', 'make', 'open', 'pass', 'pay'],
  ...['percent-encode', 'purge', 'read', 'register', 'reload', 'remind', 'remove', 'renew', 'repeat', 'request'],
  ...[
    'resume',
    'revoke',
    'round',
    'run',
    'send',
    'set',
    'shorten',
    'start',
    'stop',
    'subscribe',
    'try',
    'turn',
    'unlink',
  ],
  ...['unlock', 'unsubscribe', 'update', 'use', 'validate', 'verify', 'wait', 'void'],
].join('|');

/** An imperative at the start of a sentence, of a clause or after a value, or what "must" be so. */
const instruction = new RegExp(String.raw`(^|[.:;,}]\s+|, (and|or|then) )(${verbs})\b|\bmust\b`, 'i');

/** Whether a message tells its reader what to do: the tests of messages use it. */
export function saysWhatToDo(message: string): boolean {
  return instruction.test(message);
}
