import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import { type DatabaseTransaction } from '../database/pool.js';
import { type Tables } from '../database/tables.js';
import { Transaction } from '../database/transaction.js';
import { type RequestOfThread } from './serve-thread.js';

/** A statement of a thread, which the process executes in its transaction. */
interface ForwardedStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * The transaction of the process that runs the task. The thread itself has no connection and no credentials; its
 * statements see what the transaction sees.
 */
export function forwardedTransaction(request: RequestOfThread, workspaceId: string): Transaction {
  const driver = new ForwardingDriver(request);
  const database = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return new Transaction(database as Kysely<Tables> as DatabaseTransaction, workspaceId);
}

/** Executes a statement of a thread; the reply is its rows. */
export async function executeForwarded(tx: Transaction, request: unknown): Promise<readonly unknown[]> {
  const { sql, parameters } = request as ForwardedStatement;
  return (await tx.db.executeQuery(CompiledQuery.raw(sql, [...parameters]))).rows;
}

/** Statements are sent in their order, without waiting for each other, as on a connection that pipelines. */
class ForwardingDriver implements Driver {
  private readonly connection: DatabaseConnection;

  constructor(request: RequestOfThread) {
    this.connection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => {
        const statement: ForwardedStatement = { sql, parameters };
        return { rows: (await request(statement)) as Row[] };
      },
      streamQuery: () => {
        throw new Error('a thread streams no rows');
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error('the process has begun the transaction');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
