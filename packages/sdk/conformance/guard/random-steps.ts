import fc from 'fast-check';
import type { GuardStep } from './steps.ts';

const minute = 60;
const hour = 60 * minute;

const one = (step: GuardStep): fc.Arbitrary<GuardStep> => fc.constant(step);

/** What can happen to a machine whose clock nobody sets. */
const steps: fc.Arbitrary<GuardStep>[] = [
  one({ step: 'network_fails' }),
  fc.integer({ min: 1, max: 4 }).map((after_calls) => ({ step: 'network_fails', after_calls })),
  one({ step: 'network_works' }),
  one({ step: 'answers_are_forged' }),
  one({ step: 'answers_are_genuine' }),
  fc
    .constantFrom('LICENSE.REVOKED', 'LICENSE.SUSPENDED', 'LICENSE.VALID', 'LICENSE.IN_GRACE')
    .map((code) => ({ step: 'license_is', code })),
  one({ step: 'seats_are_freed' }),
  one({ step: 'another_machine_takes_the_seat' }),
  fc
    .constantFrom(minute, 20 * minute, hour, 5 * hour, 23 * hour, 30 * hour)
    .map((seconds) => ({ step: 'time_passes', seconds })),
  one({ step: 'refresh' }),
  one({ step: 'refresh', calls: 2 }),
  one({ step: 'restart' }),
];

const stopAndStart: readonly GuardStep[] = [{ step: 'stop' }, { step: 'start' }];

const clockStep: fc.Arbitrary<GuardStep> = fc
  .integer({ min: -72, max: 72 })
  .map((hours) => ({ step: 'clock_is_set', ahead_seconds: hours * hour }));

function sequencesOf(choices: readonly fc.Arbitrary<GuardStep>[], maxLength: number): fc.Arbitrary<GuardStep[]> {
  const alone = choices.map((choice) => choice.map((step): readonly GuardStep[] => [step]));
  return fc
    .array(fc.oneof(...alone, fc.constant(stopAndStart)), { minLength: 3, maxLength })
    .map((parts) => [{ step: 'create' }, { step: 'start' }, ...parts.flat()]);
}

/** Any order of outages, forgeries, refusals, lost seats, time and restarts. */
export const sequences = sequencesOf(steps, 25);

/** The same, and somebody sets the clock. */
export const sequencesWithClock = sequencesOf([clockStep, ...steps], 20);
