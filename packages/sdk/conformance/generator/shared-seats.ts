import type { GuardStep } from '../guard/steps.ts';
import { hour, leaseMs, pass, refresh, sequence, start, started } from './sequence.ts';

const second = [
  { step: 'create', guard: 'second' },
  { step: 'start', guard: 'second' },
] as const;
const stop: GuardStep = { step: 'stop' };
const stopSecond: GuardStep = { step: 'stop', guard: 'second' };
/** Processes that share the floating seat of their machine. */
export const holders = [
  [
    'the last of two processes to stop frees their floating seat',
    [...started, ...second, stop, pass(hour), stopSecond],
  ],
  ['the second process may stop first', [...started, ...second, stopSecond, pass(hour), stop]],
  ['a killed process holds no floating seat', [...started, ...second, { step: 'kill' }, pass(hour), stopSecond]],
  [
    'a process that starts again holds the seat again',
    [...started, ...second, stop, start, stopSecond, pass(hour), stop],
  ],
  ['a guard that starts twice holds the seat once', [...started, start, ...second, stop, stop, stopSecond]],
  [
    'a guard that was only refreshed frees no seat that another one holds',
    [...started, second[0], { step: 'refresh', guard: 'second' }, stopSecond, stop],
  ],
  [
    'a store that cannot say who else holds the seat keeps it until the end of its lease',
    [{ step: 'store_fails' }, ...started, { step: 'store_works' }, refresh, stop],
  ],
].map(([title, steps]) => sequence(title as string, steps as readonly GuardStep[], { lease_ms: leaseMs }));
