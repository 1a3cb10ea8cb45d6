import { fileURLToPath } from 'node:url';
import { describeHook } from './support/react-cases.ts';

// `react.long.test.ts` has the oldest version.
describeHook('19', fileURLToPath(new URL('../../../examples/test/frameworks/package.json', import.meta.url)));
