import { describeReaders } from './support/readers.ts';

describeReaders(({ tracks, isCompiled }) => (isCompiled ? [] : tracks.slice(0, 1)), { hasCompilers: false });
