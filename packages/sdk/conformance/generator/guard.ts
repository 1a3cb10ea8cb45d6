import fc from 'fast-check';
import { worldInProcess } from '../guard/in-process.ts';
import { GuardModel } from '../guard/model.ts';
import { sequences, sequencesWithClock } from '../guard/random-steps.ts';
import { type GuardCase, type Seen, seenIn } from '../runner/guard-cases.ts';
import { isObject, type JsonObject } from '../runner/json.ts';
import { chosenCases } from './guard-sequences.ts';
import type { GuardSequence } from './sequence.ts';
import { updates } from './updates.ts';

const randomCases = 30;
const randomCasesWithClock = 15;

/**
 * Returns the cases of guards: chosen situations, and random ones. The TypeScript guard says what each step leads to, and
 * the model judges every random case. Throws if the model objects.
 */
export async function guardCases(): Promise<GuardCase[]> {
  const cases: GuardCase[] = [];
  for (const sequence of chosenCases) cases.push(await played(sequence, false));
  for (const sequence of randomSequences()) cases.push(await played(sequence, true));
  return cases;
}

/** Returns the cases of guards that look for updates. */
export async function updateCases(): Promise<GuardCase[]> {
  const cases: GuardCase[] = [];
  for (const sequence of updates) cases.push(await played(sequence, false));
  return cases;
}

function randomSequences(): GuardSequence[] {
  const kinds = [
    { name: 'random', arbitrary: sequences, numRuns: randomCases },
    { name: 'random with a clock that is set', arbitrary: sequencesWithClock, numRuns: randomCasesWithClock },
  ];
  return kinds.flatMap(({ name, arbitrary, numRuns }) =>
    // The seed and the version of the library make the cases the same every time.
    fc.sample(arbitrary, { seed: 29, numRuns }).map((steps, index) => ({ title: `${name} ${index + 1}`, steps })),
  );
}

async function played({ title, service, steps }: GuardSequence, isModelled: boolean): Promise<GuardCase> {
  const world = worldInProcess(service);
  const model = new GuardModel(world);
  const states = new Map<string, JsonObject>();
  const expected: GuardCase['steps'][number][] = [];
  for (const step of steps) {
    if (step.step === 'restart') model.restart();
    const observation = await world.play(step);
    const problem = isModelled ? model.problemAfter(step, observation) : null;
    if (problem !== null) throw new Error(`${title}, ${step.step}: ${problem}`);
    expected.push({ ...step, seen: withoutMoment(seenIn(observation, states)) });
  }
  return { title, ...(service !== undefined && { service }), steps: expected };
}

/** The moment in a request file is not the one of the case. */
function withoutMoment(seen: Seen): Seen {
  if (!isObject(seen.result) || !('created_at' in seen.result)) return seen;
  const { created_at: _moment, ...result } = seen.result;
  return { ...seen, result };
}
