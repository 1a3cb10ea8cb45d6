import { fileURLToPath } from 'node:url';
import { describeHook } from './support/react-cases.ts';

describeHook('18', fileURLToPath(new URL('./runtimes/package.json', import.meta.url)));
