import { getOrInsert } from '../kernel/get-or-insert.js';
import { teamEarnings } from './slug.js';

/** What of a rule decides whether it follows itself. */
interface Rule {
  readonly name: string;
  readonly executionPhase: string;
  readonly tierBy: string;
  readonly measure: string;
  readonly dependsOn?: string | undefined;
  readonly quotaGroup?: string | undefined;
  readonly quotaMeasure?: string | undefined;
  readonly quotaCredit?: object | undefined;
  readonly lines?: object | undefined;
}

/**
 * Whether a rank would depend on itself: people are ranked by the credit under a key, a cascade rule counts what is earned
 * below towards it, and what is earned below depends on the rank. Such amounts may change without end. Returns the
 * positions of these cascade rules.
 */
export function findRankCycles(rules: readonly Rule[]): number[] {
  const needs = new Map<string, string[]>();
  const need = (from: string, to: string) => getOrInsert(needs, from, () => []).push(to);
  for (const rule of rules) {
    if (rule.tierBy === 'rank') need(amountOf(rule), creditOf(rule));
    if (rule.executionPhase !== 'cascade') continue;
    for (const below of rules.filter((each) => isInput(rule, each))) {
      need(amountOf(rule), amountOf(below));
      if (countsEarnings(rule)) need(creditOf(rule), amountOf(below));
    }
  }
  return rules.flatMap((rule, index) =>
    rule.executionPhase === 'cascade' && countsEarnings(rule) && reaches(needs, creditOf(rule)) ? [index] : [],
  );
}

const amountOf = ({ name }: Rule) => `amount ${name}`;
const creditOf = ({ quotaGroup, name }: Rule) => `credit ${quotaGroup ?? name}`;

function isInput({ dependsOn = '_total' }: Rule, below: Rule): boolean {
  return dependsOn === '_total' ? below.executionPhase === 'per_deal' : below.name === dependsOn;
}

/** What was earned below is the credit unless fields are named. A rule with lines counts only where something was. */
function countsEarnings({ measure, quotaMeasure, quotaCredit, lines }: Rule): boolean {
  return lines !== undefined || (measure === teamEarnings && quotaMeasure === undefined && quotaCredit === undefined);
}

/** Whether the start is reached again from itself. */
function reaches(needs: ReadonlyMap<string, readonly string[]>, start: string): boolean {
  const visited = new Set<string>();
  const pending = [...(needs.get(start) ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === start) return true;
    if (visited.has(next)) continue;
    visited.add(next);
    pending.push(...(needs.get(next) ?? []));
  }
  return false;
}
