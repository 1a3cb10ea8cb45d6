/**
 * Runs `work` on every item, at most `parallelism` at the same time. After a failure no further item starts; the items
 * in progress finish, then the first error is thrown.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  parallelism: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items].reverse();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let item = waiting.pop(); item !== undefined && failures.length === 0; item = waiting.pop()) {
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: parallelism }, worker));
  if (failures.length > 0) throw failures[0];
}
