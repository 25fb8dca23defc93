import { type Answer, type api } from '../../api/client.js';
import { cellKey } from '../../components/grid-keys.js';
import { type EnteredCell, type GridColumn } from '../../components/placed-block.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import { readPeriod } from '../imports/dates.js';
import { bare } from '../imports/kind.js';

export const estimateColumns = [
  { key: 'person', label: 'Person', isNumber: false },
  { key: 'plan', label: 'Plan', isNumber: false },
  { key: 'rule', label: 'Rule', isNumber: false },
  { key: 'period', label: 'Period', isNumber: false },
  { key: 'currency', label: 'Currency', isNumber: false },
  { key: 'pay', label: 'Pay of the period', isNumber: true },
  { key: 'toDate', label: 'Earned to date', isNumber: true },
  { key: 'method', label: 'Method', isNumber: false },
] as const satisfies readonly GridColumn[];

type Key = (typeof estimateColumns)[number]['key'];
/** An estimate as the grid has it, with texts. */
export type EnteredEstimate = Readonly<Record<Key, string>>;

type Stored = Answer<'listEstimates'>['estimates'][number];
type Sent = Parameters<typeof api.putEstimates>[0]['body']['estimates'][number];

/** What names in the grid refer to. */
export interface EstimateContext {
  readonly people: readonly { readonly id: string; readonly name: string; readonly email: string }[];
  readonly plans: readonly { readonly planId: string; readonly name: string }[];
}

const methods = ['elapsed', 'forecast'] as const;
const blank: EnteredEstimate = {
  person: '',
  plan: '',
  rule: '',
  period: '',
  currency: '',
  pay: '',
  toDate: '',
  method: '',
};

/** People have their address, which no other person has. */
export function toEnteredEstimates(stored: readonly Stored[], { people, plans }: EstimateContext): EnteredEstimate[] {
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  const names = new Map(plans.map(({ planId, name }) => [planId, name]));
  return stored.map(({ repId, planId, ruleName, period, currency, pay, toDate, method }) => ({
    person: emails.get(repId as string) ?? '',
    plan: names.get(planId as string) ?? '',
    rule: ruleName ?? '',
    period,
    currency,
    pay: writeNumber(pay ?? undefined),
    toDate: writeNumber(toDate ?? undefined),
    method,
  }));
}

/** The rows with the cells; rows that follow the last one are added. */
export function withCells(rows: readonly EnteredEstimate[], cells: readonly EnteredCell[]): EnteredEstimate[] {
  const changed = [...rows];
  for (const [row, column, text] of cells) {
    while (changed.length <= row) changed.push(blank);
    changed[row] = { ...(changed[row] as EnteredEstimate), [column]: text };
  }
  return changed;
}

export interface ReadEstimates {
  readonly estimates: readonly Sent[];
  /** What is wrong, by key of the cell. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The estimates as they are sent. Empty rows are none. */
export function readEstimates(rows: readonly EnteredEstimate[], context: EstimateContext): ReadEstimates {
  const problems = new Map<string, string>();
  const estimates = rows.flatMap((row, index): Sent[] => {
    if (Object.values(row).every((text) => text.trim() === '')) return [];
    const read = readRow(row, context);
    if ('repId' in read) return [read];
    for (const [column, problem] of read) problems.set(cellKey(String(index), column), problem);
    return [];
  });
  return { estimates, problems };
}

/** The estimate of a row, or what is wrong with its cells. */
function readRow(row: EnteredEstimate, { people, plans }: EstimateContext): Sent | readonly (readonly [Key, string])[] {
  const repId = findOne(people, row.person, ({ email, name }) => [email, name])?.id;
  const planId = findOne(plans, row.plan, ({ name }) => [name])?.planId;
  const [pay, toDate] = [row.pay, row.toDate].map((text) => (text.trim() === '' ? undefined : readNumber(text)));
  const named = row.method.trim() || (toDate === undefined ? 'elapsed' : 'forecast');
  const method = methods.find((known) => known === named);
  const ruleName = row.rule.trim();
  const wrong: readonly (readonly [isWrong: boolean, column: Key, problem: string])[] = [
    [repId === undefined, 'person', 'No person, or several'],
    [planId === undefined, 'plan', 'No plan, or several'],
    [ruleName === '', 'rule', 'Is missing'],
    [(pay === undefined) === (toDate === undefined), 'pay', 'Either this or “Earned to date”'],
    [pay === null, 'pay', 'Not a number'],
    [toDate === null, 'toDate', 'Not a number'],
    [method === undefined, 'method', 'elapsed or forecast'],
  ];
  const problems = wrong.flatMap(([isWrong, column, problem]) => (isWrong ? [[column, problem] as const] : []));
  if (problems.length > 0 || repId === undefined || planId === undefined || method === undefined) return problems;
  const currency = row.currency.trim().toUpperCase();
  const period = readPeriod(row.period) ?? row.period.trim();
  const amount = typeof pay === 'number' ? { pay } : { toDate: Number(toDate) };
  return { repId, planId, ruleName, period, method, currency, ...amount };
}

/** The only one with the name. */
function findOne<One>(all: readonly One[], text: string, namesOf: (one: One) => readonly string[]): One | undefined {
  const wanted = bare(text);
  const found = all.filter((one) => namesOf(one).some((name) => bare(name) === wanted));
  return wanted !== '' && found.length === 1 ? found[0] : undefined;
}
