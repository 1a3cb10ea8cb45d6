import { describeReaders } from './support/readers.ts';

describeReaders((tracks) => tracks.slice(0, 1));
