import { type CreditLine, type CreditRule, type CreditRuleTerms } from '../../api/credit-queries.js';
import { formatDay, formatDays, isDay } from '../../shared/format/dates.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { type Condition } from '../plans/draft.js';
import { conditionLines } from '../plans/words.js';
import { nameOfLine } from './entered-credits.js';

/** The texts of a rule while it is entered. `percent` is a number or the slug of a field. */
export interface EnteredRule {
  readonly name: string;
  readonly kind: CreditRule['kind'];
  readonly role: string;
  readonly personField: string;
  readonly percent: string;
  readonly conditions: readonly Condition[];
  readonly effectiveStart: string;
  readonly effectiveEnd: string;
}

const emptyRule: EnteredRule = {
  name: '',
  kind: 'overlay',
  role: '',
  personField: '',
  percent: '100',
  conditions: [],
  effectiveStart: '',
  effectiveEnd: '',
};

export function toEnteredRule(rule: CreditRule | null): EnteredRule {
  if (rule === null) return emptyRule;
  const { name, kind, role, personField, percent, percentField, conditions, effectiveStart, effectiveEnd } = rule;
  return {
    name,
    kind,
    role: role ?? '',
    personField,
    percent: percent === null ? (percentField ?? '') : formatNumber(percent),
    conditions: conditions as readonly Condition[],
    effectiveStart: effectiveStart ?? '',
    effectiveEnd: effectiveEnd ?? '',
  };
}

/** The rule as it is sent; null while it is incomplete. */
export function readRule({
  name,
  kind,
  role,
  personField,
  percent,
  conditions,
  ...days
}: EnteredRule): CreditRuleTerms | null {
  const [effectiveStart, effectiveEnd] = [days.effectiveStart || null, days.effectiveEnd || null];
  const isComplete = [name, personField, percent].every((text) => text.trim() !== '');
  if (!isComplete || ![effectiveStart, effectiveEnd].every((day) => day === null || isDay(day))) return null;
  const number = readNumber(percent);
  if (number !== null && number <= 0) return null;
  return {
    name: name.trim(),
    kind,
    role: role.trim() || null,
    personField: personField.trim(),
    percent: number,
    percentField: number === null ? percent.trim() : null,
    conditions: [...conditions] as NonNullable<CreditRuleTerms['conditions']>,
    effectiveStart,
    effectiveEnd,
  };
}

/** The rule as a sentence. `labelOf` names a field by its slug. */
export function describeRule(
  { kind, role, personField, percent, percentField, conditions, effectiveStart, effectiveEnd }: CreditRule,
  labelOf: (slug: string) => string,
): string {
  const share = percent === null ? `the percentage in ${labelOf(percentField ?? '')}` : `${formatNumber(percent)} %`;
  const days = { from: effectiveStart ?? null, to: effectiveEnd ?? null };
  const parts = [
    `The person in ${labelOf(personField)} gets ${share} of a deal`,
    kind === 'overlay' ? ' in addition to the splits' : ', which the owner gives up',
    role === null ? '' : `, as ${role}`,
    conditions.length === 0 ? '' : `, where ${conditionLines(conditions as readonly Condition[]).join(' and ')}`,
    days.from === null && days.to === null ? '' : `, for close dates ${describeDays(days)}`,
  ];
  return `${parts.join('')}.`;
}

function describeDays({ from, to }: { readonly from: string | null; readonly to: string | null }): string {
  if (from !== null && to !== null) return formatDays({ from, to }, 'year');
  return from === null ? `until ${formatDay(to ?? '', 'year')}` : `from ${formatDay(from, 'year')}`;
}

/** Who is credited, such as "Ann 60 %, Bob 40 %". */
export function describeLines(lines: readonly Pick<CreditLine, 'repId' | 'repName' | 'percent'>[]): string {
  return lines.map((line) => `${nameOfLine(line)} ${formatNumber(line.percent)} %`).join(', ') || 'no person';
}
