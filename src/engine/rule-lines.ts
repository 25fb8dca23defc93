import { type Issue } from '../kernel/failure.js';
import { type Condition, leavesOf } from './condition.js';
import { isLineSlug } from './deal-line.js';
import { fieldsIn } from './formula.js';
import { dealCount, lineCount, teamEarnings } from './slug.js';

export const flatPers = ['deal', 'line', 'unit'] as const;
type FlatPer = (typeof flatPers)[number];

export const withoutLines = ['none', 'deal'] as const;

/** Which lines of a deal a rule counts. */
export interface RuleLines {
  readonly conditions?: readonly Condition[];
  /** `deal`: a deal without lines is one line with its amount. */
  readonly withoutLines?: (typeof withoutLines)[number];
}

/** The parts of a rule that say how it reads lines. */
interface LineRule {
  readonly measure: string;
  readonly payoutBase?: string;
  readonly tierBy: string;
  readonly tierValueField?: string;
  readonly quotaMeasure?: string;
  readonly payoutMode: string;
  readonly executionPhase: string;
  readonly conditions: readonly Condition[];
  readonly lines?: RuleLines;
  readonly flatPer?: FlatPer;
}

/** Whether a slug of a rule with lines is read from lines: a field of a line, a formula with one, or their number. */
export function namesLines(slug: string): boolean {
  return slug === lineCount || fieldsIn(slug).some(isLineSlug);
}

/** The fields whose sum is the base of the rule; null if its base is the variable target or 1. */
function baseSlug({ payoutBase, measure }: Pick<LineRule, 'payoutBase' | 'measure'>): string | null {
  if (payoutBase === 'variable_target' || payoutBase === '1') return null;
  return payoutBase ?? measure;
}

/** Whether what the rate multiplies is a sum over lines. */
export function hasBaseOfLines(rule: Pick<LineRule, 'payoutBase' | 'measure' | 'lines'>): boolean {
  const slug = baseSlug(rule);
  return rule.lines !== undefined && slug !== null && namesLines(slug);
}

/** Whether each line has the tier of its own value. */
export function hasTierOfLines({ lines, tierBy, tierValueField, executionPhase }: LineRule): boolean {
  return (
    lines !== undefined &&
    executionPhase !== 'periodic' &&
    tierBy === 'value' &&
    tierValueField !== undefined &&
    namesLines(tierValueField)
  );
}

export function flatPerOf(rule: LineRule): FlatPer {
  return rule.flatPer ?? (hasTierOfLines(rule) ? 'line' : 'deal');
}

type PathOf = (key: string) => string;

export function* lineProblems(rule: LineRule, at: PathOf): Generator<Issue> {
  if (rule.lines === undefined) {
    if (rule.flatPer !== undefined) yield { path: at('flatPer'), message: 'is allowed only in rules with lines' };
    const { measure, payoutBase, tierValueField, quotaMeasure } = rule;
    const named = { measure, payoutBase, tierValueField, quotaMeasure };
    for (const [key, slug] of Object.entries(named))
      if (slug === lineCount) yield { path: at(key), message: `${lineCount} counts lines, in rules with lines only` };
    return;
  }
  yield* measureProblems(rule, at);
  yield* flatPerProblems(rule, at);
}

function* measureProblems(rule: LineRule, at: PathOf): Generator<Issue> {
  const { measure, payoutBase, executionPhase } = rule;
  const isCascade = executionPhase === 'cascade';
  if (!namesLines(measure) && measure !== dealCount && !(isCascade && measure === teamEarnings))
    yield {
      path: at('measure'),
      message: `must name lines, such as line.amount, or ${dealCount}, because the rule has lines`,
    };
  if (isCascade && !hasBaseOfLines({ ...rule, measure: dealCount }))
    yield { path: at('payoutBase'), message: 'must name lines in a cascade rule with lines' };
  else if (payoutBase !== undefined && baseSlug(rule) !== null && !namesLines(payoutBase))
    yield { path: at('payoutBase'), message: 'must name lines, because the rule has lines' };
}

function* flatPerProblems(rule: LineRule, at: PathOf): Generator<Issue> {
  const { flatPer, payoutMode, executionPhase } = rule;
  if (flatPer !== undefined && payoutMode !== 'rate' && payoutMode !== 'flat_per_event')
    yield { path: at('flatPer'), message: 'needs payoutMode rate or flat_per_event' };
  if (flatPer !== undefined && flatPer !== 'deal' && executionPhase === 'periodic')
    yield { path: at('flatPer'), message: 'must be deal: what a periodic rule pays has no lines' };
  if (!hasTierOfLines(rule)) return;
  if (!hasBaseOfLines(rule))
    yield { path: at('tierValueField'), message: 'names lines, so that measure or payoutBase must name lines too' };
  if (flatPer === 'deal') yield { path: at('flatPer'), message: 'must be line or unit: each line has its own tier' };
}

/** Slugs of lines in conditions on deals. They are fields of the deal where no rule has lines. */
export function* lineSlugsOutside(rules: readonly LineRule[], dealConditions: readonly Condition[]): Generator<Issue> {
  if (!rules.some(({ lines }) => lines !== undefined)) return;
  const lists = [
    { path: 'dealConditions', conditions: dealConditions },
    ...rules.map(({ conditions }, index) => ({ path: `rules.${index}.conditions`, conditions })),
  ];
  for (const { path, conditions } of lists)
    for (const [index, condition] of conditions.entries())
      if (leavesOf([condition]).some(({ field }) => namesLines(field)))
        yield { path: `${path}.${index}`, message: 'names a field of lines; put it into lines.conditions of the rule' };
}
