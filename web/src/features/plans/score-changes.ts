import { standardNamedBy } from '#src/client.js';
import { type Plan } from '../../api/queries.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { type WrongCell } from './quota-changes.js';
import { listRules, type PlanRule } from './rules.js';

export interface ScoreChange {
  readonly repId: string;
  readonly period: string;
  /** Null removes the score. */
  readonly score: number | null;
}

export interface ScoreRule {
  readonly plan: Plan;
  readonly rule: PlanRule;
  readonly label: string;
}

/** The rules that can read scores: they measure a separate field. Those that pay at the end of a period are first. */
export function listScoreRules(plans: readonly Plan[]): readonly ScoreRule[] {
  const readsField = ({ measure, executionPhase }: PlanRule) =>
    executionPhase !== 'cascade' && !/^[=_]/.test(measure) && standardNamedBy(measure) === undefined;
  const found = plans
    .filter(({ planStatus }) => planStatus !== 'deleted' && planStatus !== 'archived')
    .flatMap((plan) =>
      listRules(plan)
        .filter(readsField)
        .map((rule) => ({ plan, rule, label: `${plan.name}: ${rule.name}` })),
    );
  const isPeriodic = ({ rule }: ScoreRule) => (rule.executionPhase === 'periodic' ? 0 : 1);
  return found.sort((a, b) => isPeriodic(a) - isPeriodic(b));
}

/** The cells that differ from what is stored, and those that cannot be read. */
export function listScoreChanges(
  edits: Readonly<Record<string, string>>,
  stored: ReadonlyMap<string, number>,
): { readonly changes: readonly ScoreChange[]; readonly wrong: readonly WrongCell[] } {
  const cells = Object.entries(edits).map(([key, entered]) => {
    const [repId = '', period = ''] = key.split(' ');
    const text = entered.trim();
    return { repId, period, text, known: stored.get(key) ?? null, score: text === '' ? null : readNumber(text) };
  });
  const isWrong = ({ text, score }: (typeof cells)[number]) => text !== '' && score === null;
  return {
    changes: cells
      .filter((cell) => !isWrong(cell) && cell.score !== cell.known)
      .map(({ repId, period, score }) => ({ repId, period, score })),
    wrong: cells.filter(isWrong).map(({ repId, period, text }) => ({ repId, period, text })),
  };
}

/** The changes that restore what is stored now. */
export function invertScores(
  changes: readonly ScoreChange[],
  stored: ReadonlyMap<string, number>,
): readonly ScoreChange[] {
  return changes.map(({ repId, period }) => ({ repId, period, score: stored.get(`${repId} ${period}`) ?? null }));
}
