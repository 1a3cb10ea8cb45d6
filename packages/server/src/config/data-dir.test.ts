import { expect, test } from 'vitest';
import { dataDirError } from './data-dir.ts';

test.each([
  ['EROFS', /its file system is read-only\. Set DATA_DIR/],
  ['EACCES', /has no permission\. Make that user the owner/],
  ['ENOSPC', /its disk is full\. Free space/],
  ['EDQUOT', /quota/],
  ['EWEIRD', /the system reports an error\. Set DATA_DIR to another folder \(EWEIRD\)/],
])('dataDirError explains %s with the folder and what to do', (code, says) => {
  const { message } = dataDirError('/data', Object.assign(new Error('failed'), { code }));
  expect(message).toMatch(says);
  expect(message).toMatch(/^The data directory \/data cannot be used: /);
});
