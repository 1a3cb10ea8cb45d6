import { describeReaders } from './support/readers.ts';

// `snippets.test.ts` follows the first track of each page that needs no compiler.
describeReaders(({ tracks, isCompiled }) => (isCompiled ? tracks : tracks.slice(1)), { hasCompilers: true });
