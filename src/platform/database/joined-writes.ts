import { type RawBuilder, sql } from 'kysely';

/**
 * One statement of several inserts, updates and deletes and of expressions, which are evaluated after the writes, in their
 * order. All of them see what was stored before the statement, so no two of the writes may change the same row. Each is a
 * statement without `with` and `returning`.
 */
export function joinWrites<Row>(
  writes: readonly RawBuilder<unknown>[],
  expressions: readonly RawBuilder<unknown>[] = [],
): RawBuilder<Row> {
  const [only, ...others] = writes;
  if (only === undefined) return sql`select ${sql.join(expressions)}`;
  if (others.length + expressions.length === 0) return only as RawBuilder<Row>;
  const named = writes.map((write, index) => ({ name: sql.ref(`write_${index}`), write }));
  // The server executes a write when its result is read.
  return sql`
    with ${sql.join(named.map(({ name, write }) => sql`${name} as (${write} returning true)`))}
    select ${expressions.length === 0 ? sql`true` : sql.join(expressions)}
    where ${sql.join(
      named.map(({ name }) => sql`(select count(*) from ${name}) >= 0`),
      sql` and `,
    )}`;
}
