/** Thrown to roll the transaction of a dry run back. */
class DryRun extends Error {
  constructor(readonly result: unknown) {
    super('dry run');
  }
}

/**
 * Runs a transaction that passes its result to `end` as its last step. In a dry run, `end` rolls the transaction back, and
 * the result is returned all the same.
 */
export async function withDryRun<T>(isDryRun: boolean, transact: (end: (result: T) => T) => Promise<T>): Promise<T> {
  try {
    return await transact((result) => {
      if (isDryRun) throw new DryRun(result);
      return result;
    });
  } catch (error) {
    if (error instanceof DryRun) return error.result as T;
    throw error;
  }
}
