import { sql } from 'kysely';
import { type Transaction } from './unit-of-work.js';

/** Runs a part of the transaction. If it fails, what it has written is rolled back, and the transaction can go on. */
export async function inSavepoint<T>(tx: Transaction, write: () => Promise<T>): Promise<T> {
  await sql`savepoint before_change`.execute(tx.db);
  try {
    const result = await write();
    await sql`release savepoint before_change`.execute(tx.db);
    return result;
  } catch (error) {
    await sql`rollback to savepoint before_change`.execute(tx.db);
    throw error;
  }
}
