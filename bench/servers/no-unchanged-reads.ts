import type * as replaced from '../../packages/server/src/db/sqlite/unchanged-reads.ts';

/** Keeps nothing: every read reads its row. */
export class UnchangedReads implements Pick<replaced.UnchangedReads, 'get'> {
  get<Row>(_mark: object, _read: object, _args: readonly unknown[], readNow: () => Row | undefined): Row | undefined {
    return readNow();
  }
}
