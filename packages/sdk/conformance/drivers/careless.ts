// A driver without an SDK, to check the cases: it gives the same answer to every call. Every case must refuse at least
// one of its answers: `node drivers/careless.ts ANSWER`, which is an object with `result` or `error`.
import { createInterface } from 'node:readline';

const answer: object = JSON.parse(process.argv[2] ?? '{}');
for await (const line of createInterface({ input: process.stdin })) {
  const { id }: { readonly id: number } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
}
