import { type DayRange, isEffective, isIn, plusDays, plusMonths } from './calendar.js';
import type { Rule } from './config.js';
import { type Amount, amount, ONE, sum, ZERO } from './decimal.js';
import { monthsOf, periodDays } from './fiscal.js';
import type { World, WorldAssignment, WorldQuota, WorldRamp } from './world.js';

/** Money model, section 4: the target and the variable target that count for a rule in a period. */
export interface EffectiveQuota {
  target: Amount;
  /** What `variable_target` pays on. */
  variableTarget: Amount | null;
  /** What `capMultiplier` multiplies: a leave must not lower what one deal can pay. */
  fullVariableTarget: Amount | null;
}

type Weighted = 'quota' | 'variable';

/** An exact fraction: a sum of quotients would miss an exact half. */
interface Fraction {
  over: Amount;
  under: Amount;
}

const HUNDRED = amount(100);

function percent(value: number | string): Amount {
  return amount(value).dividedBy(HUNDRED);
}

const knownDays = new Map<string, string[]>();

function daysIn({ first, last }: DayRange): string[] {
  const key = `${first} ${last}`;
  const known = knownDays.get(key);
  if (known !== undefined) return known;
  const days: string[] = [];
  for (let day = first; day <= last; day = plusDays(day, 1)) days.push(day);
  knownDays.set(key, days);
  return days;
}

/** The step of the ramp on the day. Null: before the first step, or after the last one. */
function stepOn(ramp: WorldRamp, from: string, day: string): WorldRamp['steps'][number] | null {
  if (day < from) return null;
  let months = 0;
  for (const step of ramp.steps) {
    months += step.months;
    if (day < plusMonths(from, months)) return step;
  }
  return null;
}

/** Of several assignments the one with the latest start decides. */
function decidingAssignment(world: World, repId: string, planId: string, day: string): WorldAssignment | null {
  const effective = world.assignments.filter(
    (each) =>
      each.repId === repId && each.planId === planId && isEffective(day, each.effectiveStart, each.effectiveEnd),
  );
  effective.sort((a, b) => ((a.effectiveStart ?? '') < (b.effectiveStart ?? '') ? -1 : 1));
  return effective.at(-1) ?? null;
}

function rampStep(world: World, repId: string, assignment: WorldAssignment, day: string) {
  const { ramp, effectiveStart } = assignment;
  if (ramp === undefined) return null;
  const from = ramp.from ?? effectiveStart ?? world.reps.find((rep) => rep.repId === repId)?.hireDate ?? null;
  return from === null ? null : stepOn(ramp, from, day);
}

/** The factor of the raw amount on the close date. */
export function rampRate(world: World, repId: string, planId: string, day: string): Amount {
  const assignment = decidingAssignment(world, repId, planId, day);
  const step = assignment === null ? null : rampStep(world, repId, assignment, day);
  return step === null ? ONE : percent(step.ratePercent ?? 100);
}

/** w(d). Null: the day is not one of A. */
function weightOn(world: World, repId: string, planId: string, weighted: Weighted, day: string): Amount | null {
  const rep = world.reps.find((each) => each.repId === repId);
  const assignment = decidingAssignment(world, repId, planId, day);
  if (assignment === null || !isEffective(day, rep?.hireDate ?? null, rep?.endDate ?? null)) return null;
  const step = rampStep(world, repId, assignment, day);
  const ramped = weighted === 'quota' ? step?.quotaPercent : step?.variablePercent;
  const absence = (world.absences ?? []).find((each) => each.repId === repId && each.from <= day && day <= each.to);
  const relief = absence === undefined ? 0 : weighted === 'quota' ? absence.quotaRelief : absence.variableRelief;
  return percent(ramped ?? 100).times(ONE.minus(percent(relief ?? 100)));
}

function byDays(weights: Map<string, Amount>, days: DayRange): Fraction {
  return { over: sum([...weights.values()]), under: amount(daysIn(days).length) };
}

function byMonths(weights: Map<string, Amount>, months: DayRange[]): Fraction {
  let total: Fraction = { over: ZERO, under: ONE };
  for (const month of months) {
    const counted = [...weights].filter(([day]) => isIn(day, month)).map(([, weight]) => weight);
    if (counted.length * 2 < daysIn(month).length) continue;
    const size = amount(counted.length);
    total = { over: total.over.times(size).plus(sum(counted).times(total.under)), under: total.under.times(size) };
  }
  return { over: total.over, under: total.under.times(months.length) };
}

function factorOf(
  world: World,
  { repId, planId, period }: WorldQuota,
  proration: Rule['quotaProration'],
  weighted: Weighted,
): Fraction {
  const days = periodDays(world, period);
  if (days === null) throw new Error(`not a period: ${period}`);
  const weights = new Map<string, Amount>();
  for (const day of daysIn(days)) {
    const weight = weightOn(world, repId, planId, weighted, day);
    if (weight !== null) weights.set(day, weight);
  }
  return proration === 'calendar_days' ? byDays(weights, days) : byMonths(weights, monthsOf(world, period));
}

function times(value: Amount, { over, under }: Fraction): Amount {
  return value.times(over).dividedBy(under).toDecimalPlaces(6);
}

const known = new WeakMap<World, Map<string, EffectiveQuota>>();

export function effectiveQuota(world: World, quota: WorldQuota, proration: Rule['quotaProration']): EffectiveQuota {
  const ofWorld = known.get(world) ?? new Map<string, EffectiveQuota>();
  known.set(world, ofWorld);
  const key = JSON.stringify([quota, proration]);
  const found = ofWorld.get(key) ?? computeQuota(world, quota, proration);
  ofWorld.set(key, found);
  return found;
}

function computeQuota(world: World, quota: WorldQuota, proration: Rule['quotaProration']): EffectiveQuota {
  const target = amount(quota.target);
  const fullVariableTarget = quota.variableTarget === null ? null : amount(quota.variableTarget);
  if (proration === 'none' || quota.prorate === false)
    return { target, variableTarget: fullVariableTarget, fullVariableTarget };
  const minimum: Fraction = { over: amount(world.workspace.minQuotaPercent ?? 25), under: HUNDRED };
  const counted = factorOf(world, quota, proration, 'quota');
  const isBelow = counted.over.times(minimum.under).lt(minimum.over.times(counted.under));
  const variable = fullVariableTarget === null ? null : factorOf(world, quota, proration, 'variable');
  return {
    target: times(target, isBelow ? minimum : counted),
    variableTarget: fullVariableTarget === null || variable === null ? null : times(fullVariableTarget, variable),
    fullVariableTarget,
  };
}
