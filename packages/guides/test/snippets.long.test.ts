import { describeReaders } from './support/readers.ts';

// `snippets.test.ts` follows the first track of each page.
describeReaders((tracks) => tracks.slice(1));
