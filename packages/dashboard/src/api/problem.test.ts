import { expect, test } from 'vitest';
import { fieldSentence } from './problem.ts';

test.for([
  ['password', 'must have 12 characters or more', 'Password must have 12 characters or more.'],
  ['name', 'This field is required.', 'Enter the name.'],
  ['code', 'is the code of another policy', 'Another policy already has this code.'],
  ['policy.max_activations', 'must be 1 or more', 'Max devices must be 1 or more.'],
  ['events[0]', 'must be a known event', 'Events must be a known event.'],
  ['url', 'Enter an address that begins with https://.', 'Enter an address that begins with https://.'],
  ['', 'must be an object', 'The value must be an object.'],
] as const)('the message about %s "%s" is shown as the sentence "%s"', ([field, message, sentence]) => {
  expect(fieldSentence({ field, message })).toBe(sentence);
});
