import fc from 'fast-check';
import type { WorldDeal, WorldLine, WorldTable } from './world.js';

function perhaps<T>(value: fc.Arbitrary<T>, freq = 1): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined, freq });
}

/** Drops the keys that are undefined. */
function given<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

const money = fc.constantFrom(1000, 2500, 5000, 333.33, 0.005, 0, -500, -2500, '1234.565', '.5');

const line = (withCurrencies: boolean): fc.Arbitrary<Omit<WorldLine, 'lineId'>> =>
  fc
    .record({
      productCode: perhaps(fc.constantFrom('SW-1', 'sw-12', 'HW', 'X')),
      family: perhaps(fc.constantFrom('software', 'Services ', 'hardware'), 3),
      quantity: perhaps(fc.constantFrom<WorldLine['quantity'] & {}>(1, 3, -2, '12', 0), 3),
      unitPrice: perhaps(fc.constantFrom(10, 99.9, '250')),
      months: perhaps(fc.constantFrom(6, 12, 36)),
      amount: fc.oneof({ arbitrary: money, weight: 8 }, { arbitrary: fc.constant(null), weight: 1 }),
      currency: withCurrencies ? perhaps(fc.constantFrom('EUR', 'GBP', 'USD')) : fc.constant(undefined),
      fields: perhaps(fc.constantFrom({ Region: 'EMEA', weight: 2.5 }, { region: 'apac' }, { Weight: '7' })),
    })
    .map(given);

/** Deals with up to four lines, in an order that is not that of their ids. */
export function withLines(deals: fc.Arbitrary<WorldDeal[]>, withCurrencies: boolean): fc.Arbitrary<WorldDeal[]> {
  const lines = fc.array(line(withCurrencies), { maxLength: 4 });
  return deals.chain((all) =>
    fc.array(perhaps(lines, 5), { minLength: all.length, maxLength: all.length }).map((found) =>
      all.map((deal, index) => {
        const own = found[index]?.map((each, position) => ({ lineId: `l${4 - position}`, ...each }));
        return own === undefined || own.length === 0 ? deal : { ...deal, lines: own };
      }),
    ),
  );
}

const cellsOfLines = {
  family: ['software', 'SERVICES', '*'],
  code: ['SW', 'sw-1', '*'],
  size: [{ to: 1000 }, { from: 1000, to: 5000 }, { from: 5000 }, '*'],
} as const;
const cellsOfDeals = { region: ['emea', 'APAC', 7, '*'], size: cellsOfLines.size } as const;

type Cell = WorldTable['rows'][number]['keys'][string];

function combinations(cells: Readonly<Record<string, readonly Cell[]>>): WorldTable['rows'][number]['keys'][] {
  return Object.entries(cells).reduce<WorldTable['rows'][number]['keys'][]>(
    (found, [name, values]) => found.flatMap((keys) => values.map((cell) => ({ ...keys, [name]: cell }))),
    [{}],
  );
}

const value = (hasUnits: boolean) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(0, 0.05, 0.1, 0.125, 0.333), weight: 5 },
    { arbitrary: fc.record({ amount: fc.constantFrom(10, 99.99) }), weight: 1 },
    { arbitrary: fc.record({ perUnit: fc.constantFrom(25, 0.5) }), weight: hasUnits ? 1 : 0 },
  );

/** Rows that never meet: cells of a key are equal, nested, or apart. Some change on a day. */
function rowsOf(cells: Readonly<Record<string, readonly Cell[]>>, hasUnits: boolean): fc.Arbitrary<WorldTable['rows']> {
  const values = fc.record({ a: value(hasUnits), b: value(hasUnits) });
  return fc
    .shuffledSubarray(combinations(cells), { minLength: 1, maxLength: 12 })
    .chain((chosen) =>
      fc.tuple(...chosen.map((keys) => fc.record({ keys: fc.constant(keys), before: values, after: perhaps(values) }))),
    )
    .map((rows) =>
      rows.flatMap(({ keys, before, after }): WorldTable['rows'] =>
        after === undefined
          ? [{ keys, values: before }]
          : [
              { keys, values: before, effectiveEnd: '2026-02-09' },
              { keys, values: after, effectiveStart: '2026-02-10' },
            ],
      ),
    );
}

const columns: WorldTable['columns'] = [
  { name: 'a', kind: 'rate' },
  { name: 'b', kind: 'rate' },
];
const noMatch = fc.constantFrom<WorldTable['noMatch'][]>('exception', 'exception', 'zero');

/** The tables of a world: one for lines, one for deals. */
export const tables: fc.Arbitrary<WorldTable[]> = fc.tuple(
  fc.record({
    name: fc.constant('Lines'),
    keys: fc.constant<WorldTable['keys']>([
      { name: 'family', field: 'line.family', match: 'exact' },
      { name: 'code', field: 'line.product_code', match: 'prefix' },
      { name: 'size', field: 'line.amount', match: 'range' },
    ]),
    columns: fc.constant(columns),
    rows: rowsOf(cellsOfLines, true),
    noMatch,
  }),
  fc.record({
    name: fc.constant('Deals'),
    keys: fc.constant<WorldTable['keys']>([
      { name: 'region', field: 'region', match: 'exact' },
      { name: 'size', field: 'acv', match: 'range' },
    ]),
    columns: fc.constant(columns),
    rows: rowsOf(cellsOfDeals, false),
    noMatch,
  }),
);

const leaf = fc.oneof(
  fc.record({
    field: fc.constantFrom('line.family', 'LINE.Family'),
    fieldType: fc.constant('text'),
    operator: fc.constantFrom('equals', 'not_equals'),
    value: fc.constantFrom('software', 'services'),
  }),
  fc.record({
    field: fc.constantFrom('line.amount', '= line.amount / default(line.quantity, 1)'),
    fieldType: fc.constant('number'),
    operator: fc.constantFrom('gte', 'lt'),
    value: fc.constantFrom(0, 1000, 2000),
  }),
  fc.record({
    field: fc.constantFrom('line.region', 'line.quantity', 'region'),
    fieldType: fc.constant('text'),
    operator: fc.constantFrom('is_set', 'is_not_set'),
  }),
);

/** L6: what rules on deals read of lines. */
const aboutLines = fc.oneof(
  fc.record({
    field: fc.constant('lines.count'),
    fieldType: fc.constant('number'),
    operator: fc.constantFrom('gte', 'lt'),
    value: fc.constantFrom(1, 2, 3),
  }),
  fc.record({
    field: fc.constantFrom('lines.families', 'Lines.Families'),
    fieldType: fc.constant('select'),
    operator: fc.constantFrom('equals', 'not_equals'),
    value: fc.constantFrom('Software', 'hardware'),
  }),
);

const ofLines = fc.constantFrom(
  'line.amount',
  'line.amount',
  '_lines',
  'line.quantity',
  '= line.amount * default(line.months, 12) - 10',
  '= default(line.weight, 1) * line.amount',
  '= line.unit_price * line.quantity',
);

const terms = fc.record({
  isUsed: fc.constantFrom(true, true, false),
  measure: fc.oneof({ arbitrary: ofLines, weight: 4 }, { arbitrary: fc.constant('_deals'), weight: 1 }),
  payoutBase: fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 4 },
    { arbitrary: fc.oneof(ofLines, fc.constantFrom('1', 'variable_target')), weight: 2 },
  ),
  teamBase: ofLines,
  credit: fc.oneof(
    { arbitrary: fc.constant({}), weight: 3 },
    { arbitrary: fc.record({ quotaMeasure: fc.constantFrom('acv', 'line.amount', '_deals') }), weight: 1 },
    {
      arbitrary: fc.constant({ quotaCredit: [{ field: 'line.amount', weight: 0.5 }, { field: 'acv' }] }),
      weight: 1,
    },
  ),
  conditions: perhaps(fc.array(leaf, { minLength: 1, maxLength: 2 })),
  withoutLines: perhaps(fc.constant('deal')),
  tierValue: fc.constantFrom('seats', 'line.amount', 'line.quantity'),
  flatPer: fc.constantFrom(undefined, 'deal', 'line', 'unit'),
  tables: fc.constantFrom('none', 'some', 'all'),
  column: fc.constantFrom('a', 'b'),
  aboutLines: perhaps(aboutLines),
});

type Terms = typeof terms extends fc.Arbitrary<infer T> ? T : never;

interface Rule {
  measure?: string;
  baseField?: string;
  payoutBase?: string;
  executionPhase?: string;
  payoutMode?: string;
  tierBy?: string;
  tierMode?: string;
  tierValueField?: string;
  quotaMeasure?: string;
  quotaCredit?: object[];
  conditions?: object[];
  tiers: { rate?: number; flatAmount?: number; amount?: number; repId?: string }[];
}

/** The configs with rules that count lines, and with tiers that pay by tables. */
export function withLineRules(config: fc.Arbitrary<object>, ruleCount: number): fc.Arbitrary<object> {
  const ofRules = fc.array(terms, { minLength: ruleCount, maxLength: ruleCount });
  return fc.tuple(config, ofRules).map(([posted, all]) => ({
    ...posted,
    rules: (posted as { rules: Rule[] }).rules.map((rule, index) => {
      const found = all[index];
      return found === undefined ? rule : changed(rule, found);
    }),
  }));
}

function changed(rule: Rule, found: Terms): object {
  const { conditions = [] } = rule;
  const watched = found.aboutLines === undefined ? rule : { ...rule, conditions: [...conditions, found.aboutLines] };
  // A rule of the second shape has no lines.
  if (rule.baseField !== undefined || rule.measure === undefined) return watched;
  if (!found.isUsed) return withTables(watched, found, 'Deals');
  return withTables(lineRule(watched, found), found, 'Lines');
}

function lineRule(rule: Rule, found: Terms): Rule & { hasBaseOfLines: boolean } {
  const isTeam = rule.executionPhase === 'cascade';
  const isPeriodic = rule.executionPhase === 'periodic';
  const measure = isTeam && rule.measure === '_earned' ? '_earned' : found.measure;
  const payoutBase = isTeam ? found.teamBase : found.payoutBase;
  const base = payoutBase ?? measure;
  const hasBaseOfLines = base === '_lines' || base.includes('line.');
  const isByValue = rule.tierBy === 'value' && !isPeriodic;
  const hasTierOfLines = isByValue && hasBaseOfLines && found.tierValue.includes('line.');
  const { quotaMeasure: _, quotaCredit: __, payoutBase: ___, ...rest } = rule;
  return given({
    ...rest,
    measure,
    payoutBase,
    ...(isPeriodic ? {} : found.credit),
    lines: given({ conditions: found.conditions, withoutLines: found.withoutLines }),
    flatPer: hasBaseOfLines && !isPeriodic ? flatPerOf(rule, found, hasTierOfLines) : undefined,
    tierValueField: isByValue ? (hasTierOfLines ? found.tierValue : 'seats') : rule.tierValueField,
    hasBaseOfLines,
  }) as Rule & { hasBaseOfLines: boolean };
}

function flatPerOf({ payoutMode = 'rate' }: Rule, { flatPer }: Terms, hasTierOfLines: boolean): Terms['flatPer'] {
  const isAllowed = payoutMode === 'rate' || payoutMode === 'flat_per_event';
  return !isAllowed || (hasTierOfLines && flatPer === 'deal') ? undefined : flatPer;
}

/** Tiers with a rate pay by the table, if the rule may. */
function withTables(rule: Rule & { hasBaseOfLines?: boolean }, found: Terms, table: string): object {
  const { hasBaseOfLines, ...posted } = rule;
  const mayUse =
    rule.executionPhase !== 'periodic' &&
    (hasBaseOfLines ?? true) &&
    (rule.payoutMode ?? 'rate').startsWith('rate') &&
    found.tables !== 'none';
  if (!mayUse) return posted;
  return {
    ...posted,
    tiers: rule.tiers.map((tier, index) => {
      const isReplaced = tier.rate !== undefined && (found.tables === 'all' || index === 0);
      if (!isReplaced) return tier;
      const { rate: _, ...rest } = tier;
      return { ...rest, table, column: found.column };
    }),
  };
}
