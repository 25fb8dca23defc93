import { type Approval, type WaitingApproval } from '../../api/approval-queries.js';
import { type Workspace } from '../../api/settings-queries.js';
import { daysBetween, formatDay } from '../../shared/format/dates.js';
import { currencyDecimals, formatCount, formatMoney } from '../../shared/format/numbers.js';

export type ApprovalStep = NonNullable<Workspace['approvalSteps']>[number];
type StepState = Approval['steps'][number];

const list = (names: readonly string[], type: 'conjunction' | 'disjunction') =>
  new Intl.ListFormat('en', { type }).format(names);

/** Who has signed the step and when, or who signs it and since when it waits. */
export function describeStep(step: StepState, { next }: Approval, today: string, currency: string): string {
  if (step.status === 'no_answer') return 'no answer in time';
  if (step.signedAt !== undefined) return describeSignature(step, currency);
  if (next === undefined || next.name !== step.name) return 'later';
  if (next.blockedBy !== undefined) return 'nobody may sign it';
  const who =
    next.consent === true ? 'the rep' : list((next.by ?? []).map(({ name }) => name).slice(0, 3), 'disjunction');
  const days = daysBetween(next.since.slice(0, 10), today);
  const due = next.due === null ? '' : next.overdue === true ? ', overdue' : `, due ${formatDay(next.due)}`;
  return `${who === '' ? 'waits' : who}, ${days < 1 ? 'since today' : `for ${formatCount(days, 'day')}`}${due}`;
}

function describeSignature({ signedBy, onBehalfOf, signedAt = '', carried }: StepState, currency: string): string {
  const who = signedBy === undefined ? 'signed' : signedBy.name;
  const instead = onBehalfOf === undefined ? '' : ` for ${onBehalfOf.name}`;
  const since = carried === undefined ? '' : `, ${formatMoney(carried, currency, { signed: true })} since`;
  return `${who}${instead}, ${formatDay(signedAt.slice(0, 10))}${since}`;
}

/** What differs since the last signature, the total first. */
export function describeChanges({ changes, currency }: WaitingApproval): string {
  if (changes === null) return 'First signature.';
  const { amount, lines, moreLines, version } = changes;
  const total = amount === 0 ? 'The same total' : formatMoney(amount, currency, { signed: true });
  if (lines.length === 0) return `${total} since version ${version}.`;
  const words = lines.slice(0, 3).map((line) => {
    const name = line.dealName ?? line.dealId ?? line.ruleName ?? 'An amount';
    const at = (value: number) => formatMoney(value, line.currency);
    if (line.before === null) return `${name} is new with ${at(line.after ?? 0)}`;
    if (line.after === null) return `${name} with ${at(line.before)} is gone`;
    return line.before === line.after ? `${name} has other details` : `${name} ${at(line.before)} → ${at(line.after)}`;
  });
  const more = lines.length - words.length + moreLines;
  return `${total} since version ${version}: ${words.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/** How the total compares with the usual month. */
export function describeUsual({ usual, amount, currency }: WaitingApproval): string | null {
  return usual === null ? null : `${formatMoney(amount - usual, currency, { signed: true })} against the usual month`;
}

export function describeSigners({ by }: Pick<ApprovalStep, 'by'>, nameOf: (repId: string) => string): string {
  if ('rep' in by) return 'the rep';
  if ('role' in by) return by.role === 'admin' ? 'an admin' : 'a manager';
  if ('repIds' in by) return list(by.repIds.map(nameOf), 'disjunction');
  if ('level' in by && by.level > 1) return `the manager at level ${by.level} above the rep`;
  return 'the manager of the rep';
}

/** What the chain will do, such as "4,999.99 needs 2 signatures; 5,000.00 needs 3". */
export function describeChain(
  steps: readonly ApprovalStep[],
  currency: string,
  nameOf: (repId: string) => string,
): string {
  if (steps.length === 0) return 'One manager or admin approves a statement.';
  const order = steps.map((step) => describeSigners(step, nameOf)).join(', then ');
  const limits = [...new Set(steps.flatMap(({ minPayable }) => minPayable ?? []))].sort((a, b) => a - b);
  const needs = (amount: number) =>
    `${formatMoney(amount, currency)} needs ${formatCount(countSteps(steps, amount), 'signature')}`;
  const cent = 10 ** -currencyDecimals(currency);
  const [first] = limits;
  if (first === undefined) return `Every statement needs ${formatCount(steps.length, 'signature')}: ${order}.`;
  return `${[needs(first - cent), ...limits.map(needs)].join('; ')}: ${order}.`;
}

function countSteps(steps: readonly ApprovalStep[], amount: number): number {
  return steps.filter(({ minPayable }) => minPayable === undefined || amount >= minPayable).length;
}
