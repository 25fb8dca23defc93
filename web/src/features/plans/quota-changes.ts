import { type Quota } from '../../api/set-up-queries.js';
import { readNumber } from '../../shared/format/entered-numbers.js';

/** The texts of cells, by person and period. */
type Cells = Readonly<Record<string, string>>;

interface Target {
  readonly repId: string;
  readonly period: string;
  readonly target: number;
  readonly variableTarget?: number | null;
  /** false fixes the target; absent leaves it as it is. */
  readonly prorate?: boolean;
}

/** Quotas to set and ids of quotas to delete. */
export interface QuotaChange {
  readonly set: readonly Target[];
  readonly remove: readonly string[];
}

/** A cell whose text is no number. */
export interface WrongCell {
  readonly repId: string;
  readonly period: string;
  readonly text: string;
  /** Whether the cell is a number and lacks the target beside which it is stored. */
  readonly lacksTarget?: true;
}

/** What the cells have: the target, or the variable pay at 100 % of it. */
export type QuotaAmount = 'target' | 'variableTarget';

interface EnteredCell {
  readonly repId: string;
  readonly period: string;
  readonly text: string;
  readonly quota: Quota | undefined;
  readonly value: number | null;
}

/** The cells that differ from what is stored, and those that cannot be read. */
export function listChanges(
  edits: Cells,
  stored: ReadonlyMap<string, Quota>,
  amount: QuotaAmount = 'target',
): QuotaChange & { readonly wrong: readonly WrongCell[] } {
  const entries = Object.entries(edits).map(([key, text]): EnteredCell => {
    const [repId = '', period = ''] = key.split(' ');
    return { repId, period, text: text.trim(), quota: stored.get(key), value: readNumber(text) };
  });
  if (amount === 'variableTarget') return listVariableChanges(entries);
  return {
    set: entries.flatMap(({ repId, period, value, quota }) =>
      value === null || value === quota?.target ? [] : [{ repId, period, target: value }],
    ),
    remove: entries.flatMap(({ text, quota }) => (text === '' && quota !== undefined ? [quota.quotaId] : [])),
    wrong: entries.flatMap(({ repId, period, text, value }) =>
      text !== '' && value === null ? [{ repId, period, text }] : [],
    ),
  };
}

/** The cells with another variable pay; an emptied one removes it, and the target stays. */
function listVariableChanges(cells: readonly EnteredCell[]): ReturnType<typeof listChanges> {
  return {
    set: cells.flatMap(({ repId, period, text, value, quota }) => {
      if (quota === undefined || (value === null && text !== '') || value === quota.variableTarget) return [];
      return [{ repId, period, target: quota.target, variableTarget: value }];
    }),
    remove: [],
    wrong: cells.flatMap(({ repId, period, text, value, quota }): WrongCell[] => {
      if (text === '' || (value !== null && quota !== undefined)) return [];
      return [{ repId, period, text, ...(value === null ? {} : { lacksTarget: true }) }];
    }),
  };
}

/** The change that undoes a change: it restores the quotas that were stored before, and deletes those that were created. */
export function invertChanges(
  { set, remove }: QuotaChange,
  before: readonly Quota[],
  saved: readonly Pick<Quota, 'quotaId' | 'repId' | 'period'>[],
): QuotaChange {
  const isSameCell = (quota: Pick<Quota, 'repId' | 'period'>) => (other: Pick<Quota, 'repId' | 'period'>) =>
    quota.repId === other.repId && quota.period === other.period;
  const restored = before.filter((quota) => remove.includes(quota.quotaId) || set.some(isSameCell(quota)));
  const created = saved.filter((quota) => !before.some(isSameCell(quota)));
  return {
    set: restored.map(({ repId, period, target, variableTarget, prorate }) => ({
      repId,
      period,
      target,
      variableTarget,
      ...(prorate === undefined ? {} : { prorate }),
    })),
    remove: created.map(({ quotaId }) => quotaId),
  };
}

const maxSteps = 50;

/** Adds a step that can be undone. Typing in one cell is a single step. */
export function withStep(history: readonly Cells[], next: Cells): readonly Cells[] {
  const last = history.at(-1);
  const cell = last === undefined ? null : onlyDifference(last, next);
  const isSameCell = last !== undefined && cell !== null && onlyDifference(history.at(-2) ?? {}, last) === cell;
  return [...(isSameCell ? history.slice(0, -1) : history.slice(-maxSteps)), next];
}

/** The key of the only cell with another text; null if there are none or several. */
function onlyDifference(cells: Cells, other: Cells): string | null {
  const keys = [...new Set([...Object.keys(cells), ...Object.keys(other)])].filter((key) => cells[key] !== other[key]);
  return keys.length === 1 ? (keys[0] as string) : null;
}
