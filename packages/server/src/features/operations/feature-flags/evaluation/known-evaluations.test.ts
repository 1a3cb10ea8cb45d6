import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownEvaluations } from './known-evaluations.ts';

const responseTo = (context: string) => ({ json: `{"context":"${context}"}`, tag: `"${context}"` });

test('no response outlives its revision, not even when the revision comes back', () => {
  const known = new KnownEvaluations();
  known.keep('r1', 'a', responseTo('a'));
  known.keep('r2', 'a', responseTo('other'));
  expect([known.find('r1', 'a'), known.find('r2', 'a')]).toEqual([undefined, responseTo('other')]);
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

test('what is asked for again and again survives others', () => {
  const known = new KnownEvaluations(20_000);
  const ask = (context: string) => known.find('r1', context) ?? known.keep('r1', context, responseTo(context));
  for (let other = 0; other < 500; other += 1) {
    ask('often');
    ask(`other ${other}`);
  }
  expect([known.find('r1', 'often'), known.find('r1', 'other 0')]).toEqual([responseTo('often'), undefined]);
});
