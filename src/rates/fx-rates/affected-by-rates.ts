import { findRefundedPeople } from '../../deals/refunds/change-refunds.js';
import {
  defaultRateTable,
  type ExchangeRate,
  type ExchangeRates,
  type RateDay,
  type StoredRate,
} from '../../engine/exchange-rates.js';
import { findVersionInForce } from '../../engine/version-timeline.js';
import { addDays, type Day, type DayRange, earliestDay, hull, isEffective, latestDay } from '../../kernel/day.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { groupBy } from '../../kernel/group-by.js';
import { type PeriodKind } from '../../kernel/period.js';
import { type CalendarName, type PeriodCalendar } from '../../kernel/period-calendar.js';
import { exchangeRatesOf, type FxTerms, loadFxTerms } from '../../ledger/input/exchange-rates.js';
import { loadCascadeManagersAbove } from '../../ledger/input/hierarchy.js';
import {
  calendarOf,
  hasCascades,
  hasPeriodicRules,
  loadVersions,
  loadWorkspaceTerms,
  payingVersions,
  type StoredVersion,
  type WorkspaceTerms,
} from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import {
  type ForeignDeal,
  type ForeignRefund,
  loadForeignDeals,
  loadForeignEarnings,
  loadForeignRefunds,
} from './concerned-deals.js';
import { loadConvertingAssignments } from './converting-plans.js';

/** Whom a change of rates concerns: people with the days of their deals and refunds, and the number of these. */
export interface AffectedByRates {
  readonly days: ReadonlyMap<string, readonly DayRange[]>;
  readonly deals: number;
  /** Every deal, or amount of a day below a manager, that a plan of the person converts otherwise. */
  readonly conversions: readonly Conversion[];
}

/** A deal, or an amount of a day below a manager, that a plan converts for the person. */
export interface Conversion {
  readonly repId: string;
  readonly day: Day;
  readonly planId: string;
}

const noOne: AffectedByRates = { days: new Map(), deals: 0, conversions: [] };

/** The rates before a change, to which {@link findAffected} compares those after it. */
export interface RatesBefore {
  readonly workspace: WorkspaceTerms;
  readonly fx: FxTerms;
}

export async function loadRatesBefore(tx: Transaction): Promise<RatesBefore> {
  const workspace = await loadWorkspaceTerms(tx);
  return { workspace, fx: workspace.fx ?? (await loadFxTerms(tx, workspace.revision)) };
}

/** An assignment to a plan that converts. */
interface Assigned {
  readonly planId: string;
  readonly start: Day | null;
  readonly end: Day | null;
}

/**
 * The people with a deal, or with a deal of their team, that another rate converts than before, and the days of these
 * deals; and those who earned on a deal of which a refund names lines that another rate converts, with the days of its
 * refunds. Everything in one of the currencies is compared, so that nothing else is calculated again.
 */
export async function findAffected(
  tx: Transaction,
  before: RatesBefore,
  changed: readonly StoredRate[],
  today: Day,
): Promise<AffectedByRates> {
  if (changed.length === 0) return noOne;
  const workspace = await loadWorkspaceTerms(tx);
  const after = workspace.fx ?? (await loadFxTerms(tx, workspace.revision));
  const comparison = new RateComparison(
    exchangeRatesOf(before.fx, before.workspace.currency),
    exchangeRatesOf(after, workspace.currency),
    calendarOf({ workspace }),
    today,
  );
  const change = { changed, workspace, maxAgeDays: after.maxAgeDays, comparison, today };
  return join(await findConverted(tx, change), await findRefunded(tx, change));
}

/** A change of rates in a workspace. */
interface RateChange {
  readonly changed: readonly StoredRate[];
  readonly workspace: WorkspaceTerms;
  readonly maxAgeDays: number | null;
  readonly comparison: RateComparison;
  readonly today: Day;
}

/** Whom it concerns through their plans. */
async function findConverted(
  tx: Transaction,
  { changed, workspace, maxAgeDays, comparison, today }: RateChange,
): Promise<AffectedByRates> {
  const assignments = await loadConvertingAssignments(tx, [...new Set(changed.map(({ table }) => table))]);
  if (assignments.length === 0) return noOne;
  const planIds = [...new Set(assignments.map(({ planId }) => planId))];
  const versions = await loadVersions(tx, planIds, workspace);
  const timelines = new Map(
    [...groupBy(versions, ({ planId }) => planId)].map(([planId, ofPlan]) => [planId, payingVersions(ofPlan)]),
  );
  const converting = [...timelines.values()].flat().filter(isIn(changed));
  if (converting.length === 0) return noOne;
  const people = new ConcernedPeople(
    groupBy(assignments, ({ repId }) => repId),
    timelines,
    comparison,
  );
  const range = searchedDays(converting, changed, maxAgeDays, today);
  const currencies = searchedCurrencies(changed, workspace.currency);
  const ofTeams = hasCascades({ versions: converting });
  const repIds = await people.listReps(tx, ofTeams);
  const found = await loadForeignDeals(tx, repIds, range, currencies, workspace.hasLines);
  if (ofTeams) found.push(...(await loadForeignEarnings(tx, range, currencies)));
  return people.select(tx, found, ofTeams);
}

/** Refunds of which a line is converted otherwise: their number, and who earned on their deals. */
interface RefundedByRates {
  readonly refunds: number;
  readonly people: ReadonlyMap<string, DayRange>;
}

/** Lines of refunds are converted by the table `default`, whatever the plans do. */
async function findRefunded(
  tx: Transaction,
  { changed, workspace, maxAgeDays, comparison }: RateChange,
): Promise<RefundedByRates> {
  const ofRefunds = changed.filter(({ table }) => table === defaultRateTable);
  if (ofRefunds.length === 0 || !workspace.hasRefunds || !workspace.hasLines) return { refunds: 0, people: new Map() };
  const currencies = searchedCurrencies(ofRefunds, workspace.currency);
  const found = await loadForeignRefunds(tx, convertedDays(ofRefunds, maxAgeDays), currencies);
  const different = found.filter((refund) => comparison.isRefundDifferent(refund));
  const dealIds = [...new Set(different.map(({ dealId }) => dealId))];
  return { refunds: different.length, people: await findRefundedPeople(tx, dealIds) };
}

function join(converted: AffectedByRates, { refunds, people }: RefundedByRates): AffectedByRates {
  const days = new Map(converted.days);
  for (const [repId, range] of people) days.set(repId, [...(days.get(repId) ?? []), range]);
  return { ...converted, days, deals: converted.deals + refunds };
}

function isIn(changed: readonly StoredRate[]): (version: StoredVersion) => boolean {
  const tables = new Set(changed.map(({ table }) => table));
  return ({ fx }) => fx !== undefined && fx !== null && tables.has(fx.table ?? 'default');
}

/** Close dates outside of these days keep their rates. A period lies within a year of its deals. */
function searchedDays(
  versions: readonly StoredVersion[],
  changed: readonly StoredRate[],
  maxAgeDays: number | null,
  today: Day,
): DayRange {
  const dates = new Set(versions.map(({ fx }) => fx?.date));
  if (dates.has('fixed')) return { from: earliestDay, to: latestDay };
  const { from, to } = convertedDays(changed, maxAgeDays);
  if (!dates.has('period_start') && !dates.has('period_end')) return { from, to };
  return { from: shifted(from, -daysOfYear), to: later(shifted(to, daysOfYear), shifted(today, daysOfYear)) };
}

/** The days that one of the rates, of which there is at least one, can convert. */
function convertedDays(changed: readonly StoredRate[], maxAgeDays: number | null): DayRange {
  const days = changed.map(({ day }) => day).sort();
  const [first, last] = [days[0], days.at(-1)] as [Day, Day];
  return { from: first, to: maxAgeDays === null ? latestDay : shifted(last, maxAgeDays) };
}

const daysOfYear = 372;

/** The day so many days later, within the days that the service has. */
function shifted(day: Day, count: number): Day {
  if (day === latestDay) return day;
  const moved = addDays(day, count);
  return moved < earliestDay ? earliestDay : moved > latestDay ? latestDay : moved;
}

function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

/** A rate of the workspace's currency is a leg of every other pair. */
function searchedCurrencies(changed: readonly StoredRate[], workspaceCurrency: string): readonly string[] | null {
  const codes = new Set(changed.flatMap(({ from, to }) => [from, to]));
  return codes.has(workspaceCurrency) ? null : [...codes];
}

/** Which conversions two states of the rates do differently. */
class RateComparison {
  private readonly differs = new Map<string, boolean>();

  constructor(
    private readonly before: ExchangeRates,
    private readonly after: ExchangeRates,
    private readonly calendar: PeriodCalendar,
    private readonly today: Day,
  ) {}

  /** Whether the version converts a value of a deal of the day by another rate. */
  isChanged({ fx, currency, rules }: StoredVersion, from: string, closeDate: Day): boolean {
    if (fx === undefined || fx === null || from === currency) return false;
    const days =
      fx.date === 'close_date'
        ? [closeDate]
        : fx.date === 'fixed'
          ? [fx.day ?? closeDate]
          : rules.map(({ attainmentPeriod, calendar }) =>
              this.periodDay(fx.date, closeDate, attainmentPeriod, calendar),
            );
    return days.some((day) => this.isDifferent(fx.table ?? 'default', [from, currency], this.toRateDay(fx.date, day)));
  }

  /** Whether a line of the refund is converted by another rate. */
  isRefundDifferent({ day, pairs }: ForeignRefund): boolean {
    return pairs.some((pair) => this.isDifferent(defaultRateTable, pair, { day, isProvisional: false }));
  }

  private toRateDay(date: string, day: Day): RateDay {
    return { day, isProvisional: date === 'period_end' && day >= this.today };
  }

  private periodDay(date: string, closeDate: Day, kind: PeriodKind, calendar: CalendarName | undefined): Day {
    const period = this.calendar.findPeriod(closeDate, kind, calendar);
    const range = period === null ? null : this.calendar.findRange(period);
    if (range === null) return closeDate;
    return date === 'period_start' ? range.from : range.to;
  }

  private isDifferent(table: string, [from, to]: readonly [string, string], on: RateDay): boolean {
    return getOrInsert(
      this.differs,
      `${table}|${from}|${to}|${on.day}|${on.isProvisional}`,
      () => describe(this.before.find(table, from, to, on)) !== describe(this.after.find(table, from, to, on)),
    );
  }
}

/** The stored rates by which a pair is converted, as text. */
function describe(rate: ExchangeRate | null): string {
  return rate === null ? '' : rate.legs.map(({ from, to, day, rate: value }) => `${from} ${to} ${day} ${value}`).join();
}

/** The people whose plans convert, and which of them the compared rates concern. */
class ConcernedPeople {
  constructor(
    private readonly assignments: ReadonlyMap<string, readonly Assigned[]>,
    private readonly timelines: ReadonlyMap<string, readonly StoredVersion[]>,
    private readonly rates: RateComparison,
  ) {}

  /** Those whose deals are compared: with teams, also of people whose own plans convert nothing. */
  async listReps(tx: Transaction, ofTeams: boolean): Promise<string[]> {
    if (!ofTeams) return [...this.assignments.keys()];
    const rows = await tx.db.selectFrom('reps').select('rep_id').where('workspace_id', '=', tx.workspaceId).execute();
    return rows.map((row) => row.rep_id);
  }

  async select(tx: Transaction, found: readonly ForeignDeal[], ofTeams: boolean): Promise<AffectedByRates> {
    const conversions: Conversion[] = [];
    let deals = 0;
    for (const deal of found) {
      if (deal.isEarned) continue;
      const ofDeal = this.listConversions(deal.repId, deal, 'per_deal');
      if (ofDeal.length > 0) deals += 1;
      conversions.push(...ofDeal);
    }
    if (ofTeams)
      for (const [manager, ofTeam] of await this.groupByManager(tx, found))
        for (const deal of ofTeam) conversions.push(...this.listConversions(manager, deal, 'cascade'));
    const days = new Map<string, Set<Day>>();
    for (const { repId, day } of conversions) getOrInsert(days, repId, () => new Set()).add(day);
    return {
      deals,
      days: new Map([...days].map(([repId, ofRep]) => [repId, toRanges([...ofRep])])),
      conversions,
    };
  }

  /** The plans of the rep in force on the day that convert one of the currencies by another rate. */
  private listConversions(
    repId: string,
    { day, currencies }: ForeignDeal,
    phase: 'per_deal' | 'cascade',
  ): readonly Conversion[] {
    const planIds = (this.assignments.get(repId) ?? [])
      .filter(({ start, end }) => isEffective(day, start, end))
      .map(({ planId }) => planId);
    return [...new Set(planIds)]
      .filter((planId) =>
        this.versionsOn(planId, day).some(
          (version) =>
            (phase === 'per_deal' || hasCascades({ versions: [version] })) &&
            currencies.some((currency) => this.rates.isChanged(version, currency, day)),
        ),
      )
      .map((planId) => ({ repId, day, planId }));
  }

  /** Periodic rules are those of the version on the last day of the period, which may be a later one. */
  private versionsOn(planId: string, day: Day): readonly StoredVersion[] {
    const timeline = this.timelines.get(planId) ?? [];
    if (hasPeriodicRules({ versions: timeline })) return timeline;
    const version = findVersionInForce(timeline, day, (dated) => dated);
    return version === null ? [] : [version];
  }

  private async groupByManager(
    tx: Transaction,
    found: readonly ForeignDeal[],
  ): Promise<ReadonlyMap<string, readonly ForeignDeal[]>> {
    const byRep = groupBy(found, ({ repId }) => repId);
    const searched = [...byRep].map(([repId, deals]) => ({
      repId,
      days: deals.map(({ day }) => ({ from: day, to: day })).reduce(hull),
    }));
    const byManager = new Map<string, ForeignDeal[]>();
    for (const [repId, managers] of await loadCascadeManagersAbove(tx, searched))
      for (const manager of managers) {
        const ofTeam = getOrInsert(byManager, manager, () => []);
        for (const deal of byRep.get(repId) ?? []) ofTeam.push(deal);
      }
    return byManager;
  }
}

/** The days as one range for each month. */
function toRanges(days: readonly Day[]): DayRange[] {
  const byMonth = groupBy([...days].sort(), (day) => day.slice(0, 7));
  return [...byMonth.values()].map((ofMonth) => ({ from: ofMonth[0] as Day, to: ofMonth.at(-1) as Day }));
}
