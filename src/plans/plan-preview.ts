import { isRefundKey, parseRefundKey } from '../engine/clawback.js';
import { buildTimeline, computeStretches, differingDays } from '../engine/version-timeline.js';
import { type Day, type DayRange, overlap } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { withRatesFor } from '../ledger/input/exchange-rates.js';
import { canonicalFieldMapping } from '../ledger/input/field-mapping.js';
import { loadVersions, loadWorkspaceTerms, type RepTerms, type StoredVersion } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Forecast, forecastChange } from '../simulation/forecast.js';
import { type MovedRow, withinRange } from '../simulation/moved-rows.js';
import { loadOpenTotals, type OpenTotal } from '../simulation/open-totals.js';
import { asStored } from '../simulation/overlay.js';
import { OwedByPeriods } from '../simulation/owed-by-periods.js';
import { rowKey } from '../simulation/team-calculation.js';
import { addCarriedOverrides, selectCarriedOverrides } from './carried-overrides.js';
import { collectWarnings } from './collect-plan-warnings.js';
import { loadMovedReleases } from './moved-releases.js';
import { type WrittenPlan } from './plan.js';
import {
  collectChangeWarnings,
  collectRestatements,
  datedPlan,
  loadPlannedChange,
  type PlannedChange,
  sourceAfter,
} from './planned-change.js';
import { type MovedDeal, type Movement, type PreviewFigures, type PreviewRequest } from './preview-result.js';
import { runVersionTests } from './test-gate.js';
import { toStoredVersion } from './unstored-versions.js';

/** Whether the tests of the version that the change creates or alters pass; empty if it has none. */
async function runTestsOfChange(tx: Transaction, planned: PlannedChange): Promise<Pick<PreviewFigures, 'testsPassed'>> {
  const version = planned.changed.newVersion ?? sourceAfter(planned);
  if (version.tests.length === 0) return {};
  return { testsPassed: (await runVersionTests(tx, version)).passed };
}

type PreviewNotes = Pick<PreviewFigures, 'warnings' | 'overridesDropped' | 'testsPassed'>;

export interface Preview {
  readonly figures: Omit<PreviewFigures, keyof PreviewNotes>;
  /** The largest change comes first. */
  readonly deals: readonly MovedDeal[];
}

/** The parts of the preview besides the figures. They are read in a second transaction that runs at the same time. */
export async function previewNotes(tx: Transaction, request: PreviewRequest, today: Day): Promise<PreviewNotes> {
  const planned = await loadPlannedChange(tx, request, today);
  return { ...(await collectPreviewWarnings(tx, planned, today)), ...(await runTestsOfChange(tx, planned)) };
}

/** What the change would do to the ledger. It writes nothing. */
export async function previewChange(tx: Transaction, request: PreviewRequest, today: Day): Promise<Preview> {
  const planned = await loadPlannedChange(tx, request, today);
  const { plan, changed } = planned;
  const range = { from: request.from, to: request.to };
  const workspace = await loadWorkspaceTerms(tx);
  const isShown = (repId: string) => request.repIds === null || request.repIds.includes(repId);
  const totals = (await loadOpenTotals(tx, plan.planId, range)).filter(({ repId }) => isShown(repId));
  const days = differingDays(datedPlan(plan), datedPlan(changed));
  const after = days === null ? null : await loadChangedTerms(tx, planned);
  const forecast =
    days === null || after === null
      ? null
      : await forecastChange(tx, { planId: plan.planId, terms: after.terms, days }, { days: range, asOf: today });
  const moved = withinRange(forecast?.moved ?? [], range).filter(({ repId }) => isShown(repId));
  const byRep = repMovements(totals, moved, plan.planId);
  const refunds = movementsOfRefunds(totals, moved, plan.planId);
  const currency = (changed.newVersion ?? planned.source).currency ?? workspace.currency;
  const { main, others } = sumByCurrency(byRep, currency);
  const locked = forecast === null ? [] : await lockedDeltas(tx, forecast, { range, asOf: today });
  const concerned = [...(forecast?.terms.keys() ?? [])].filter(isShown);
  const byPayPeriod =
    after === null
      ? null
      : await loadMovedReleases(
          tx,
          after.versions.some(hasSchedule) ? concerned : [...new Set(moved.map(({ repId }) => repId))],
          { planId: plan.planId, versions: after.versions, days: range, moved },
          today,
        );
  return {
    figures: {
      ...main,
      otherCurrencies: others,
      timeline: changed.status === 'active' ? computeStretches(buildTimeline(changed.versions)) : [],
      byRep,
      ...(refunds.length === 0 ? {} : { refunds }),
      locked: locked.filter(({ repId }) => isShown(repId)),
      ...(byPayPeriod === null ? {} : { byPayPeriod }),
    },
    deals: movedDeals(moved, forecast, new Set(planned.terms?.rules.map(({ name }) => name))),
  };
}

function hasSchedule({ rules }: StoredVersion): boolean {
  return rules.some(({ payout }) => payout !== undefined);
}

interface ChangedTerms {
  /** The versions of the plan after the change. */
  readonly versions: readonly StoredVersion[];
  /** The terms of a rep with these versions, and with the overrides that the new version copies. */
  readonly terms: (stored: RepTerms) => RepTerms;
}

async function loadChangedTerms(
  tx: Transaction,
  { plan, source, changed, terms }: PlannedChange,
): Promise<ChangedTerms> {
  const workspace = await loadWorkspaceTerms(tx);
  const stored = await loadVersions(tx, [plan.planId], workspace);
  const statuses = new Map(changed.versions.map(({ planVersionId, status }) => [planVersionId, status]));
  const versions = stored.map(
    (version): StoredVersion => ({
      ...version,
      status: statuses.get(version.planVersionId) ?? version.status,
      planStatus: changed.status,
    }),
  );
  const newVersion =
    changed.newVersion === null || terms === null
      ? null
      : toStoredVersion(changed.newVersion, terms, workspace.currency);
  const all = newVersion === null ? versions : [...versions, { ...newVersion, planStatus: changed.status }];
  const { fx } = await withRatesFor(tx, workspace, all);
  const from = stored.find(({ planVersionId }) => planVersionId === source.planVersionId);
  const ofChange = (ofRep: RepTerms): RepTerms => {
    if (!ofRep.assignments.some(({ planId }) => planId === plan.planId)) return ofRep;
    return {
      ...ofRep,
      workspace: { ...ofRep.workspace, fx },
      versions: [...ofRep.versions.filter(({ planId }) => planId !== plan.planId), ...all],
      overrides:
        newVersion === null || from === undefined
          ? ofRep.overrides
          : addCarriedOverrides(ofRep.overrides, from, newVersion),
    };
  };
  return { versions: all, terms: ofChange };
}

/** The exact sum before a change, and by how much the change moves it. */
class MovingSum {
  before = Decimal.zero;
  delta = Decimal.zero;

  movement(currency: string): Movement {
    const { before, delta } = this;
    return {
      currency,
      before: before.toNumber(),
      after: before.plus(delta).toNumber(),
      delta: delta.toNumber(),
    };
  }
}

interface SumEntry {
  readonly repId: string;
  readonly currency: string;
  readonly sum: MovingSum;
}

class SumsByRep {
  private readonly entries = new Map<string, SumEntry>();

  getOrAdd(repId: string, currency: string): MovingSum {
    const { sum } = getOrInsert(this.entries, `${repId}|${currency}`, () => ({
      repId,
      currency,
      sum: new MovingSum(),
    }));
    return sum;
  }

  all(): SumEntry[] {
    return [...this.entries.values()];
  }
}

/** The commission of the plan, and the rows of other plans that move, by rep and currency. */
function repMovements(
  totals: readonly Pick<OpenTotal, 'repId' | 'currency' | 'amount'>[],
  moved: readonly MovedRow[],
  planId: string,
): PreviewFigures['byRep'] {
  const sums = new SumsByRep();
  for (const { repId, currency, amount } of totals) sums.getOrAdd(repId, currency).before = amount;
  for (const row of moved) {
    for (const state of [row.before, row.after].filter((state) => state !== null)) {
      const sum = sums.getOrAdd(row.repId, state.currency);
      const amount = Decimal.of(state.amount);
      sum.delta = sum.delta.plus(state === row.before ? amount.negated() : amount);
      if (state === row.before && row.planId !== planId) sum.before = sum.before.plus(amount);
    }
  }
  return sums
    .all()
    .map(({ repId, currency, sum }) => ({ repId, ...sum.movement(currency) }))
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta) || (a.repId < b.repId ? -1 : 1));
}

/** The part of the movements that refunds take back, for everyone from whom they take something now or then. */
function movementsOfRefunds(
  totals: readonly OpenTotal[],
  moved: readonly MovedRow[],
  planId: string,
): PreviewFigures['byRep'] {
  const taken = totals.map(({ ofRefunds, ...total }) => ({ ...total, amount: ofRefunds }));
  const rows = moved.filter(({ dealKey }) => isRefundKey(dealKey));
  return repMovements(taken, rows, planId).filter(({ before, after }) => before !== 0 || after !== 0);
}

/** The totals in the currency of the plan, and those in other currencies. */
function sumByCurrency(
  byRep: PreviewFigures['byRep'],
  currency: string,
): { readonly main: Movement; readonly others: readonly Movement[] } {
  const totals = new SumsByRep();
  // The currency of the plan is the first, also without an amount.
  totals.getOrAdd('', currency);
  for (const ofRep of byRep) {
    const sum = totals.getOrAdd('', ofRep.currency);
    sum.before = sum.before.plus(Decimal.of(ofRep.before));
    sum.delta = sum.delta.plus(Decimal.of(ofRep.delta));
  }
  const [main, ...others] = totals.all().map(({ currency: code, sum }) => sum.movement(code));
  return { main: main as Movement, others };
}

function movedDeals(
  moved: readonly MovedRow[],
  forecast: Forecast | null,
  rules: ReadonlySet<string>,
): readonly MovedDeal[] {
  const deals: { readonly deal: MovedDeal; readonly row: MovedRow; readonly size: number }[] = [];
  for (const row of moved)
    for (const currency of listCurrencies(row)) {
      const deal = movedDeal(row, currency, forecast, rules);
      if (deal.delta !== 0) deals.push({ deal, row, size: Math.abs(deal.delta) });
    }
  return deals.sort((a, b) => b.size - a.size || (rowKey(a.row) < rowKey(b.row) ? -1 : 1)).map(({ deal }) => deal);
}

function movedDeal(row: MovedRow, currency: string, forecast: Forecast | null, rules: ReadonlySet<string>): MovedDeal {
  const { repId, ruleName, dealKey, before, after } = row;
  const [amountBefore, amountAfter] = [before, after].map((state) =>
    state?.currency === currency ? Decimal.of(state.amount) : Decimal.zero,
  ) as [Decimal, Decimal];
  const amounts = {
    before: amountBefore.toNumber(),
    after: amountAfter.toNumber(),
    delta: amountAfter.minus(amountBefore).toNumber(),
  };
  const isPeriodic = (before ?? after)?.phase === 'periodic';
  const identity = isPeriodic ? { dealId: null, period: dealKey } : (parseRefundKey(dealKey) ?? { dealId: dealKey });
  const removed = after === null && rules.size > 0 && !rules.has(ruleName) ? 'rule_removed' : undefined;
  const reason = amountAfter.isZero() ? (forecast?.reasons.get(rowKey(row)) ?? removed) : undefined;
  return { ...identity, repId, ruleName, currency, ...amounts, ...(reason === undefined ? {} : { reason }) };
}

function listCurrencies({ before, after }: MovedRow): string[] {
  if (before === null || after === null || before.currency === after.currency)
    return [(before ?? after)?.currency ?? ''];
  return [before.currency, after.currency];
}

/** The differences that the change would open in approved periods, which keep their amounts. */
async function lockedDeltas(
  tx: Transaction,
  { terms, overlay, window }: Forecast,
  { range, asOf }: { readonly range: DayRange; readonly asOf: Day },
): Promise<PreviewFigures['locked']> {
  if (window === null) return [];
  const concerned = ({ frozen }: RepTerms) =>
    frozen.filter((period) => overlap(period.range, range) && overlap(period.range, window));
  const before = await OwedByPeriods.load(tx, terms.values(), concerned, asOf, asStored);
  const after = await OwedByPeriods.load(tx, terms.values(), concerned, asOf, overlay);
  return after.since(before);
}

/** The warnings and the dropped overrides in the response of the PATCH. */
async function collectPreviewWarnings(
  tx: Transaction,
  planned: PlannedChange,
  today: Day,
): Promise<Pick<PreviewFigures, 'overridesDropped'> & Pick<WrittenPlan, 'warnings'>> {
  const { source, changed, terms } = planned;
  const restates = await collectRestatements(tx, planned);
  const ofChange = await collectChangeWarnings(tx, planned);
  const { newVersion } = changed;
  if (newVersion === null || terms === null) return { warnings: [...ofChange, ...restates], overridesDropped: [] };
  const { overridesDropped } = await selectCarriedOverrides(tx, source.planVersionId, terms.rules);
  const { config, currency, fx, fieldMapping } = newVersion;
  const checked = { config, terms, currency, fx, fieldMapping: canonicalFieldMapping(fieldMapping) };
  const ofVersion = await collectWarnings(tx, newVersion, checked, today);
  return { warnings: [...ofVersion, ...ofChange, ...restates], overridesDropped };
}
