import { isEffective } from './calendar.js';
import { allPass, lookOf } from './conditions.js';
import { type Amount, amount, ONE, sum, ZERO } from './decimal.js';
import { readField, readNumber } from './fields.js';
import type { CreditKind, LedgerRow, World, WorldCreditRule, WorldDeal } from './world.js';

/** Money model, section 1: one person's share of a deal. */
interface CreditLine {
  repId: string | null;
  kind: CreditKind;
  role: string | null;
  percent: Amount;
  affects: 'both' | 'quota' | 'payout';
}

/** The two values of s. */
export interface Share {
  ofCredit: Amount;
  ofPay: Amount;
}

export const WHOLE: Share = { ofCredit: ONE, ofPay: ONE };

const HUNDRED = amount(100);
const KINDS: CreditKind[] = ['split', 'overlay'];

/** The lines that count: of each kind those of the highest source, and what the split lines leave to the owner. */
export function linesOf(world: World, deal: WorldDeal): CreditLine[] {
  const derived = ruleLines(world, deal);
  const lines = KINDS.flatMap((kind) => {
    for (const source of ['api', 'crm']) {
      const found = (deal.credits ?? []).filter((line) => line.source === source && line.kind === kind);
      if (found.length > 0)
        return found.map(({ repId, role = null, percent, affects = 'both' }) => ({
          repId,
          kind,
          role,
          percent: amount(percent),
          affects,
        }));
    }
    return derived.filter((line) => line.kind === kind);
  });
  const rest = HUNDRED.minus(sum(lines.filter(({ kind }) => kind === 'split').map(({ percent }) => percent)));
  if (deal.repId === null || rest.lte(0)) return lines;
  return [...lines, { repId: deal.repId, kind: 'split', role: null, percent: rest, affects: 'both' }];
}

/** In the order of the names; split rules share what the owner still has. */
function ruleLines(world: World, deal: WorldDeal): CreditLine[] {
  const lines: CreditLine[] = [];
  let left = HUNDRED;
  const rules = [...(world.creditRules ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const rule of rules) {
    const line = ruleLine(world, deal, rule);
    if (line === null) continue;
    const percent = line.kind === 'split' && line.percent.gt(left) ? left : line.percent;
    if (line.kind === 'split') left = left.minus(percent);
    if (percent.gt(0)) lines.push({ ...line, percent });
  }
  return lines;
}

const UNMAPPED = { fieldMapping: null };

function ruleLine(world: World, deal: WorldDeal, rule: WorldCreditRule): CreditLine | null {
  const { closeDate } = deal;
  if (closeDate === null || !isEffective(closeDate, rule.effectiveStart, rule.effectiveEnd)) return null;
  if (!allPass(rule.conditions, { world, version: UNMAPPED, deal, seenFrom: closeDate })) return null;
  const repId = findPerson(world, readField(world, UNMAPPED, deal, rule.personField));
  const percent =
    rule.percent !== undefined ? amount(rule.percent) : readNumber(world, UNMAPPED, deal, rule.percentField ?? '');
  const most = rule.kind === 'split' ? 100 : 1000;
  if (repId === null || percent === null || percent.lte(0) || percent.gt(most)) return null;
  return { repId, kind: rule.kind, role: rule.role, percent, affects: 'both' };
}

/** By the id in the CRM, otherwise by the e-mail address, both in any case. */
function findPerson(world: World, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = lookOf(String(value));
  const byMember = world.reps.find((rep) => rep.memberId !== undefined && lookOf(rep.memberId) === text);
  return (byMember ?? world.reps.find((rep) => rep.email === text))?.repId ?? null;
}

/** The s of a rep for a rule that counts these kinds and roles. Null: no line. */
export function shareIn(
  lines: CreditLine[],
  repId: string,
  { creditKinds, creditRoles }: { creditKinds: CreditKind[]; creditRoles: string[] | null },
): Share | null {
  const own = lines.filter(
    (line) =>
      line.repId === repId &&
      creditKinds.includes(line.kind) &&
      (creditRoles === null || (line.role !== null && creditRoles.includes(line.role))),
  );
  if (own.length === 0) return null;
  const total = (without: string): Amount =>
    sum(own.filter(({ affects }) => affects !== without).map(({ percent }) => percent)).dividedBy(100);
  return { ofCredit: total('payout'), ofPay: total('quota') };
}

/** The s of a manager: one s for each person who earned the inputs, together at most 1. */
export function teamShare(inputs: LedgerRow[]): Share {
  const largest = new Map<string, Share>();
  for (const row of inputs) {
    const known = largest.get(row.repId) ?? { ofCredit: ZERO, ofPay: ZERO };
    const own = storedShare(row);
    largest.set(row.repId, {
      ofCredit: own.ofCredit.gt(known.ofCredit) ? own.ofCredit : known.ofCredit,
      ofPay: own.ofPay.gt(known.ofPay) ? own.ofPay : known.ofPay,
    });
  }
  const atMostOne = (value: Amount): Amount => (value.gt(1) ? ONE : value);
  const shares = [...largest.values()];
  return {
    ofCredit: atMostOne(sum(shares.map((each) => each.ofCredit))),
    ofPay: atMostOne(sum(shares.map((each) => each.ofPay))),
  };
}

/** An event keeps its s; one without has 1. */
function storedShare({ share }: LedgerRow): Share {
  return share === undefined ? WHOLE : { ofCredit: amount(share.credit), ofPay: amount(share.pay) };
}
