import type pg from 'pg';

/** Reads what committed transactions have written. */
type Reader = pg.Pool | pg.Client;

/** What one run must have done by its end, counted by other means than those of the run. */
export interface Effect {
  /** What is counted, as a failure names it: `rows of deals`. */
  readonly what: string;
  /** Starts to count. The returned function returns the count since then. */
  observe(): Promise<() => Promise<number>>;
  /** The exact count. A function is called after the run. */
  readonly expected: Expected;
}

type Expected = number | (() => number | Promise<number>);

/**
 * The rows that committed transactions have inserted or updated since the start of the run, in a table or in a part of
 * it: `deals where workspace_id = $1`. A row counts once, and not if it was rolled back, locked or left unchanged.
 */
export function rowsWritten(database: Reader, from: string, values: readonly unknown[], expected: Expected): Effect {
  const count = `select count(*)::int as value from (select xmin::text::xid8 as writer from ${from}) rows
    where not pg_visible_in_snapshot(rows.writer, $${values.length + 1}::pg_snapshot)`;
  return {
    what: `rows of ${from}`,
    expected,
    observe: async () => {
      const snapshot = await readValue<string>(database, 'select pg_current_snapshot()::text as value');
      return () => readValue<number>(database, count, [...values, snapshot]);
    },
  };
}

export function growth(what: string, read: () => number | Promise<number>, expected: Expected): Effect {
  return {
    what,
    expected,
    observe: async () => {
      const before = await read();
      return async () => (await read()) - before;
    },
  };
}

/** Reads the only value of a query, which calls it `value`. */
export async function readValue<T>(database: Reader, query: string, values: readonly unknown[] = []): Promise<T> {
  const { rows } = await database.query<{ value: T }>(query, [...values]);
  if (rows.length !== 1) throw new Error(`${rows.length} rows in place of one: ${query}`);
  return (rows[0] as { value: T }).value;
}

/** Starts to count. The returned function describes the effects whose count is not exactly the expected one. */
export async function observe(effects: readonly Effect[]): Promise<() => Promise<readonly string[]>> {
  const counts: (() => Promise<number>)[] = [];
  for (const effect of effects) counts.push(await effect.observe());
  return async () => {
    const deviations: string[] = [];
    for (const [index, { what, expected }] of effects.entries()) {
      const count = await counts[index]?.();
      const exact = typeof expected === 'number' ? expected : await expected();
      if (count !== exact) deviations.push(`${count} ${what} in place of ${exact}`);
    }
    return deviations;
  };
}
