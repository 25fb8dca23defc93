import { CompiledQuery, type QueryResult, type RawBuilder } from 'kysely';
import { mapInParallel } from '../../kernel/waiting.js';
import { type Database, type DatabaseTransaction, enablePipelining } from './pool.js';

/** The result of a transaction, and the statements that are sent with its commit. */
interface Ended<T> {
  readonly result: T;
  readonly last?: readonly CompiledQuery[];
}

/**
 * Runs the work in a transaction whose statements share round trips: with the first of them, `begin`, which begins it, and
 * with the commit. `begun` rejects if it fails; the work need not wait for it, because all statements after it then fail.
 */
export function runTransaction<T, Row>(
  database: Database,
  begin: RawBuilder<Row>,
  work: (db: DatabaseTransaction, begun: Promise<QueryResult<Row>>) => Promise<Ended<T>>,
): Promise<T> {
  return database.connection().execute(async (connected) => {
    const db = connected as DatabaseTransaction;
    const connection = await enablePipelining(db);
    const begun = begin.execute(db);
    // The error is thrown below, in place of the errors of the statements that followed it.
    begun.catch(() => undefined);
    let ended: Ended<T>;
    try {
      ended = await work(db, begun);
      await begun;
    } catch (error) {
      await connection.executeQuery(CompiledQuery.raw('rollback'));
      await begun;
      throw error;
    }
    // The server accepts the commit after a failed statement and rolls back, without an error.
    const sent = mapInParallel(ended.last ?? [], (query) => connection.executeQuery(query));
    sent.catch(() => undefined);
    await connection.executeQuery(CompiledQuery.raw('commit'));
    await sent;
    return ended.result;
  });
}
