import { expect } from 'chai';
import pg from 'pg';

/** The rows that all nodes of a statement's plan processed, by the beginning of the statement. */
export type StatementWork = ReadonlyMap<string, number>;

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly 'Actual Loops': number;
  readonly [figure: string]: unknown;
}

const rowFigures = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter'];

/**
 * Runs the action and explains every statement that it sends, in a savepoint that is rolled back before the statement
 * itself is executed. Unlike times, the processed rows do not depend on the load of the machine.
 */
export async function statementWork(action: () => Promise<unknown>): Promise<StatementWork> {
  const works = new Map<string, number>();
  const { query } = pg.Client.prototype;
  const explained: Promise<void>[] = [];
  const send = query as (this: pg.Client, text: unknown, values?: unknown) => Promise<pg.QueryResult>;
  pg.Client.prototype.query = function measured(this: pg.Client, text: unknown, values?: unknown) {
    if (typeof text === 'string' && /^\s*(with|select|insert|update|delete)\b/i.test(text)) {
      void send.call(this, 'savepoint explained').catch(() => undefined);
      const plan = send.call(this, `explain (analyze, timing off, format json) ${text}`, values);
      void send.call(this, 'rollback to savepoint explained').catch(() => undefined);
      explained.push(plan.then(({ rows }) => add(works, text, rows[0]['QUERY PLAN'][0].Plan as PlanNode)));
    }
    return send.call(this, text, values);
  } as typeof query;
  try {
    await action();
    await Promise.all(explained);
  } finally {
    pg.Client.prototype.query = query;
  }
  return works;
}

/** Four times the rows may take this many times the work; comparing all pairs takes 16 times. */
const maxGrowth = 6;

/**
 * Expects that no statement of an action processes more than in proportion when the action has four times the rows.
 * Statements that process at most `minRows` have a constant cost. Returns the statements of the larger actions.
 */
export function expectProportional(
  small: ReadonlyMap<string, StatementWork>,
  large: ReadonlyMap<string, StatementWork>,
  minRows: number,
) {
  const grown = [...large].flatMap(([name, works]) =>
    [...works].map(([statement, rows]) => ({ name, statement, rows, fewer: small.get(name)?.get(statement) ?? 0 })),
  );
  expect(grown.filter(({ rows, fewer }) => rows > minRows && rows > maxGrowth * fewer)).to.deep.equal([]);
  return grown;
}

function add(works: Map<string, number>, text: string, plan: PlanNode): void {
  const statement = text.replace(/\s+/g, ' ').trim().slice(0, 200);
  works.set(statement, (works.get(statement) ?? 0) + countRows(plan));
}

function countRows(node: PlanNode): number {
  const own = rowFigures.reduce((sum, figure) => sum + Number(node[figure] ?? 0), 0) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, child) => sum + countRows(child), own);
}
