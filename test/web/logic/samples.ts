import { type Person } from '#web/api/person-list-queries.js';
import { type Plan } from '#web/api/queries.js';
import { type TeamStatement } from '#web/api/team-queries.js';
import { type ImportContext, type ImportKind, type Options, type Prepared } from '#web/features/imports/kind.js';
import { suggestColumns } from '#web/features/imports/suggest.js';
import { readTable } from '#web/features/imports/table.js';
import { type Rule } from '#web/features/plans/draft.js';

/** A person of the workspace, with what a test needs. */
export function person(name: string, more: Partial<Person> = {}): Person {
  const id = name.toLowerCase().replaceAll(' ', '-');
  return { id, name, email: `${id}@halden.test`, crmMemberId: null, managerId: null, active: true, ...more } as Person;
}

export function rule(change: Partial<Rule> = {}): Rule {
  return {
    name: 'New business',
    measure: 'amount',
    executionPhase: 'per_deal',
    attainmentPeriod: 'quarterly',
    tierBy: 'attainment',
    tierMode: 'full_rate',
    payoutMode: 'rate',
    conditions: [],
    tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.08 }],
    ...change,
  };
}

/** A stored plan with these rules, whose ids are their names in small letters. */
export function plan(name: string, rules: readonly Partial<Rule>[], more: Partial<Plan> = {}): Plan {
  return {
    planId: name,
    name,
    planStatus: 'active',
    dealConditions: [],
    rules: rules.map((change) => ({ ...rule(change), id: (change.name ?? 'New business').toLowerCase() })),
    effectiveStart: null,
    effectiveEnd: null,
    currency: null,
    fieldMapping: null,
    tests: [],
    ...more,
  } as unknown as Plan;
}

/** What the service gets for a file whose columns are matched as suggested. */
export function prepared(
  kind: ImportKind,
  text: string,
  given: {
    readonly context?: Partial<ImportContext>;
    readonly options?: Options;
    readonly columns?: readonly string[];
  } = {},
): Prepared {
  const table = readTable(text);
  const columns = given.columns ?? suggestColumns(kind, table).map(({ target }) => target);
  const context = { people: [], plans: [], standard: {}, ...given.context };
  const initial = kind.options({ table, columns, context }).map((option) => [option.key, option.initial]);
  return kind.prepare({ table, columns, context, options: { ...Object.fromEntries(initial), ...given.options } });
}

/** The rows of a prepared file as objects, without empty cells. */
export function rowsOf({ header, rows }: Prepared): readonly Readonly<Record<string, string>>[] {
  return rows.map(({ cells }) =>
    Object.fromEntries(header.flatMap((name, index) => (cells[index] ? [[name, cells[index]]] : []))),
  );
}

type Summary = TeamStatement['summary'];

/** The statement of a person, in dollars and without an amount. */
export function statement(
  repId: string,
  change: Omit<Partial<TeamStatement>, 'summary' | 'otherCurrencies' | 'checks'> & {
    readonly summary?: Partial<Summary>;
    readonly otherCurrencies?: readonly { readonly currency: string; readonly summary: Partial<Summary> }[];
    readonly checks?: readonly { readonly version: number }[];
  } = {},
): TeamStatement {
  const summary = { netPayout: 0, totalCommission: 0, totalBonuses: 0, totalAdjustments: 0, ...change.summary };
  return {
    ...{ repId, name: repId, currency: 'USD', status: 'approved', version: 1, checks: [], otherCurrencies: [] },
    ...{ coveredBy: [], openDisputes: [], ownChanges: [] },
    ...change,
    summary,
  } as unknown as TeamStatement;
}
