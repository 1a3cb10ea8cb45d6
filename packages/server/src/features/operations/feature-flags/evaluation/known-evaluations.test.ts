import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownEvaluations } from './known-evaluations.ts';

const responseTo = (context: string) => ({ json: `{"context":"${context}"}`, tag: `"${context}"` });

test('a response is kept when its context is asked for the second time', () => {
  const known = new KnownEvaluations();
  known.keep('r1', 'a', responseTo('a'));
  expect(known.find('r1', 'a')).toBeUndefined();
  known.keep('r1', 'a', responseTo('a'));
  expect(known.find('r1', 'a')).toEqual(responseTo('a'));
});

test('no response outlives its revision, not even when the revision comes back', () => {
  const known = new KnownEvaluations();
  for (let time = 0; time < 2; time += 1) known.keep('r1', 'a', responseTo('a'));
  known.keep('r2', 'a', responseTo('other'));
  expect([known.find('r1', 'a'), known.find('r2', 'a')]).toEqual([undefined, undefined]);
  known.keep('r1', 'b', responseTo('b'));
  expect(known.find('r1', 'a')).toBeUndefined();
});

test('a context never gets the response to another one, and the kept responses stay within the memory', () => {
  const bytes = 4_000;
  const asked = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 300 });
  fc.assert(
    fc.property(asked, (contexts) => {
      const known = new KnownEvaluations(bytes);
      const kept = new Set<string>();
      for (const context of contexts.map(String)) {
        const found = known.find('r1', context);
        if (found === undefined) known.keep('r1', context, responseTo(context));
        else expect(found).toEqual(responseTo(context));
        kept.add(context);
      }
      const found = [...kept].filter((context) => known.find('r1', context) !== undefined);
      expect(found.length).toBeLessThan(bytes / responseTo('0').json.length);
    }),
  );
});

test('what is asked for again and again survives others that are asked for once', () => {
  const known = new KnownEvaluations(20_000);
  const ask = (context: string) => known.find('r1', context) ?? known.keep('r1', context, responseTo(context));
  for (let other = 0; other < 500; other += 1) {
    ask('often');
    ask(`once ${other}`);
  }
  expect(known.find('r1', 'often')).toEqual(responseTo('often'));
});
