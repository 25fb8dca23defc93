import { type RepInput, type RepResult } from '../engine/model.js';
import { type DayRange, isWithin, overlap } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';
import { EventLoopSlice } from '../kernel/waiting.js';
import { type TeamMember } from '../ledger/input/hierarchy.js';
import { naturalKey } from '../ledger/input/ledger-rows.js';
import { type DealEvent, type LoadedTeamDeal, type Rankings } from '../ledger/input/load-window.js';
import { calculateInSlices } from '../ledger/lanes/calculate-in-slices.js';

/** The input of one rep. The upstream events and peer credits are those before the calculation. */
export interface TeamRepInput extends RepInput {
  readonly teamDeals: readonly LoadedTeamDeal[];
}

/** What managers above and peers read of a calculated rep, as a difference from the inputs. */
export interface Earnings {
  /** The events of deals that are added to the upstream events of managers. */
  readonly events: readonly DealEvent[];
  /** The upstream events of the inputs that no longer exist, by {@link rowKey}. */
  readonly withdrawn: ReadonlySet<string>;
  /** The credits that are added to the rankings, by plan, attainment key and period. */
  readonly credits: ReadonlyMap<string, Decimal>;
}

export const noKeys: ReadonlySet<string> = new Set();

/** The reps of a calculation, and how their results become what other reps read. */
export interface TeamInputs<Input extends TeamRepInput, Result extends Earnings> {
  readonly window: DayRange;
  /** The reps below each manager whose plans have cascade rules. */
  readonly teams: ReadonlyMap<string, readonly TeamMember[]>;
  /** The credits before the calculation. */
  readonly rankings: Rankings;
  /** Loads the inputs in batches. A rep comes before the managers above, if the hierarchy has such an order. */
  load(repIds: readonly string[]): AsyncIterable<readonly Input[]>;
  /** The credits of the peers of a rep, in the rankings that the calculation has reached. */
  peerCredits(input: Input, rankings: Rankings): RepInput['peerCredits'];
  /** The reps who are paid by rank on the plan. */
  competitors(planId: string): readonly string[];
  toEarnings(input: Input, result: RepResult, slice: EventLoopSlice): Promise<Result>;
}

/** The key of a row among those of all reps. */
export function rowKey(row: Pick<DealEvent, 'repId' | 'planId' | 'ruleName' | 'dealKey'>): string {
  return `${row.repId}|${naturalKey(row)}`;
}

/** A rep whose calculation does not become stable after this many runs. Real hierarchies need one run for each level. */
const maxRunsOfRep = 60;

/** Calculates reps in memory, and the managers above and the peers of each until nothing moves. It writes nothing. */
export class TeamCalculation<Input extends TeamRepInput, Result extends Earnings> {
  private readonly results = new Map<string, Result>();
  private readonly eventsByDeal = new Map<string, Map<string, DealEvent[]>>();
  private readonly managers: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly runs = new Map<string, number>();
  private readonly slice = new EventLoopSlice();

  constructor(private readonly inputs: TeamInputs<Input, Result>) {
    this.managers = groupManagersByMember(inputs.teams, inputs.window);
  }

  /** The result of every rep that was calculated: the given reps and those that depend on what they earn. */
  async run(repIds: readonly string[]): Promise<ReadonlyMap<string, Result>> {
    const due = new Set(repIds);
    while (due.size > 0) for await (const batch of this.inputs.load([...due])) await this.calculateBatch(batch, due);
    return this.results;
  }

  /** The results of the reps with the reason of every amount that is not paid. Call it after {@link run}. */
  async *explain(repIds: readonly string[]): AsyncGenerator<{ readonly repId: string } & Pick<RepResult, 'outcomes'>> {
    for await (const batch of this.inputs.load(repIds))
      for (const input of batch) {
        const { outcomes } = await calculateInSlices({ ...this.withEarnings(input), explain: true }, this.slice);
        yield { repId: input.repId, outcomes };
      }
  }

  /** The rankings with the credits of the calculated reps. */
  addCredits(rankings: Rankings): Rankings {
    return (planId, key, period) =>
      rankings(planId, key, period).map(({ repId, credit }) => {
        const added = this.results.get(repId)?.credits.get(`${planId}|${key}|${period}`);
        return { repId, credit: added === undefined ? credit : credit.plus(added) };
      });
  }

  /** Takes the reps of the batch from those that are due, and adds the reps that depend on what has moved. */
  private async calculateBatch(batch: readonly Input[], due: Set<string>): Promise<void> {
    const credited = new Map<string, Set<string>>();
    for (const input of batch) {
      due.delete(input.repId);
      const { hasMovedEvents, planIds } = await this.calculate(input);
      if (hasMovedEvents) for (const manager of this.managers.get(input.repId) ?? []) due.add(manager);
      for (const planId of planIds) getOrInsert(credited, planId, () => new Set()).add(input.repId);
    }
    for (const [planId, moved] of credited) for (const peer of this.peers(planId, moved)) due.add(peer);
  }

  /** Whether the events of the rep have moved since the last run, and the plans on which the credit has. */
  private async calculate(
    input: Input,
  ): Promise<{ readonly hasMovedEvents: boolean; readonly planIds: ReadonlySet<string> }> {
    const { repId } = input;
    this.countRun(repId);
    const result = await calculateInSlices(this.withEarnings(input), this.slice);
    const before = this.results.get(repId) ?? noEarnings;
    const after = await this.inputs.toEarnings(input, result, this.slice);
    this.results.set(repId, after);
    const hasMovedEvents = !isSameEvents(before, after);
    if (hasMovedEvents) this.replaceEvents(repId, before.events, after.events);
    return { hasMovedEvents, planIds: plansWithMovedCredit(before.credits, after.credits) };
  }

  private countRun(repId: string): void {
    const runs = (this.runs.get(repId) ?? 0) + 1;
    this.runs.set(repId, runs);
    if (runs > maxRunsOfRep)
      throw new Failure('plan_too_complex', 'The plan has cascades that change each other without end.', { repId });
  }

  private replaceEvents(repId: string, before: readonly DealEvent[], after: readonly DealEvent[]): void {
    for (const { dealKey } of before) this.eventsByDeal.get(dealKey)?.delete(repId);
    for (const [dealKey, events] of groupBy(after, (event) => event.dealKey))
      getOrInsert(this.eventsByDeal, dealKey, () => new Map()).set(repId, events);
  }

  /** The input with what the other reps earn in this calculation. */
  private withEarnings(input: Input): Input {
    return {
      ...input,
      teamDeals: this.currentTeamDeals(input),
      ...this.currentRefunds(input),
      peerCredits: this.inputs.peerCredits(input, this.addCredits(this.inputs.rankings)),
    };
  }

  private currentTeamDeals({ repId: managerId, teamDeals }: Input): readonly LoadedTeamDeal[] {
    const spans = groupBy(this.inputs.teams.get(managerId) ?? [], ({ repId }) => repId);
    return teamDeals.map((teamDeal) => {
      const { deal, upstream } = teamDeal;
      const remaining = upstream.filter(
        (event) => this.results.get(event.repId)?.withdrawn.has(rowKey(event)) !== true,
      );
      const added = [...(this.eventsByDeal.get(deal.dealId) ?? [])].flatMap(([repId, events]) =>
        spans.get(repId)?.some((span) => isWithin(deal.closeDate, span)) === true ? events : [],
      );
      if (added.length === 0 && remaining.length === upstream.length) return teamDeal;
      return { deal, upstream: [...remaining, ...added].sort(byRepPlanAndRule) };
    });
  }

  private currentRefunds({ refunds }: Input): Pick<RepInput, 'refunds'> {
    if (refunds === undefined) return {};
    const below = (dealKey: string) => [
      ...(refunds.below(dealKey) as readonly DealEvent[]).filter(
        (event) => this.results.get(event.repId)?.withdrawn.has(rowKey(event)) !== true,
      ),
      ...[...(this.eventsByDeal.get(dealKey)?.values() ?? [])].flat(),
    ];
    return { refunds: { ...refunds, below } };
  }

  /** The reps with rank tiers on the plan. Of several reps whose credit moved, each is a peer of the others. */
  private peers(planId: string, moved: ReadonlySet<string>): string[] {
    const [only] = moved.size === 1 ? moved : [];
    return this.inputs.competitors(planId).filter((repId) => repId !== only);
  }
}

const noEarnings: Earnings = { events: [], withdrawn: noKeys, credits: new Map() };

/** The managers above each rep on a day of the window. */
function groupManagersByMember(
  teams: ReadonlyMap<string, readonly TeamMember[]>,
  window: DayRange,
): ReadonlyMap<string, ReadonlySet<string>> {
  const managers = new Map<string, Set<string>>();
  for (const [managerId, team] of teams)
    for (const member of team)
      if (overlap(member, window)) getOrInsert(managers, member.repId, () => new Set()).add(managerId);
  return managers;
}

function isSameEvents(a: Earnings, b: Earnings): boolean {
  return (
    a.withdrawn.size === b.withdrawn.size &&
    a.events.length === b.events.length &&
    [...a.withdrawn].every((key) => b.withdrawn.has(key)) &&
    a.events.every((event, index) => isSameEvent(event, b.events[index] as DealEvent))
  );
}

function isSameEvent(a: DealEvent, b: DealEvent): boolean {
  return (
    rowKey(a) === rowKey(b) &&
    a.phase === b.phase &&
    a.currency === b.currency &&
    a.share === b.share &&
    a.amount.equals(b.amount)
  );
}

function plansWithMovedCredit(
  before: ReadonlyMap<string, Decimal>,
  after: ReadonlyMap<string, Decimal>,
): ReadonlySet<string> {
  const moved = [...before.keys(), ...after.keys()].filter((key) => {
    const credit = after.get(key) ?? Decimal.zero;
    return !credit.equals(before.get(key) ?? Decimal.zero);
  });
  return new Set(moved.map((key) => key.slice(0, key.indexOf('|'))));
}

/** Sorts in the order in which the ledger reads events. */
function byRepPlanAndRule(a: DealEvent, b: DealEvent): number {
  const keyOf = ({ repId, planId, ruleName }: DealEvent) => `${repId}|${planId}|${ruleName}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
