import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { worldInProcess } from '../../conformance/guard/in-process.ts';
import { GuardModel } from '../../conformance/guard/model.ts';
import { sequences, sequencesWithClock } from '../../conformance/guard/random-steps.ts';
import type { GuardStep } from '../../conformance/guard/steps.ts';

async function play(sequence: readonly GuardStep[]): Promise<void> {
  const world = worldInProcess();
  const model = new GuardModel(world);
  for (const [index, step] of sequence.entries()) {
    if (step.step === 'restart') model.restart();
    const observation = await world.play(step);
    expect(model.problemAfter(step, observation), JSON.stringify(sequence.slice(0, index + 1))).toBeNull();
  }
}

describe('the states of a guard', () => {
  test('no order of outages, forgeries, refusals, lost seats, time and restarts allows after a no or turns away with a certificate', async () => {
    await fc.assert(fc.asyncProperty(sequences, play), { numRuns: 150 });
  });

  test('no setting of the clock allows after a no', async () => {
    await fc.assert(fc.asyncProperty(sequencesWithClock, play), { numRuns: 80 });
  });
});
