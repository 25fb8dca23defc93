import { useCallback, useEffect, useState } from 'react';
import { type TeamStatement } from '../../../api/team-queries.js';
import { readStored, writeStored } from '../../../app/device-storage.js';
import { paidOf } from '../../../features/statements/pay-sums.js';

/** The figures of a statement in one currency. */
interface SeenFigures {
  readonly currency: string;
  /** What it pays. */
  readonly paid: number;
  readonly earned: number;
  readonly commission: number;
  readonly bonuses: number;
  readonly adjustments: number;
}

/** The version that the manager has looked at on this device. */
export interface SeenStatement {
  readonly version: number;
  /** In the currency of the person first. */
  readonly figures: readonly [SeenFigures, ...SeenFigures[]];
  /** Instant in ISO 8601. */
  readonly at: string;
}

type Seen = Readonly<Record<string, SeenStatement>>;
type Stored = Readonly<Record<string, Seen>>;

/** Periods whose seen versions are stored. */
const maxPeriods = 3;

export function look(statement: TeamStatement, at: string): SeenStatement {
  return { version: statement.version, figures: figuresOf(statement), at };
}

function figuresOf({ currency, summary, otherCurrencies }: TeamStatement): SeenStatement['figures'] {
  return [inCurrency({ currency, summary }), ...otherCurrencies.map(inCurrency)];
}

function inCurrency({ currency, summary }: Pick<TeamStatement, 'currency' | 'summary'>): SeenFigures {
  return {
    currency,
    paid: paidOf(summary),
    earned: summary.netPayout,
    commission: summary.totalCommission,
    bonuses: summary.totalBonuses,
    adjustments: summary.totalAdjustments,
  };
}

/** Whether every figure of the row is the one that was seen. A new version with the same figures needs no second look. */
export function isSeen(seen: SeenStatement, statement: TeamStatement): boolean {
  return JSON.stringify(seen.figures) === JSON.stringify(figuresOf(statement));
}

/** What the statement paid when it was seen and what it pays now, in the first currency in which that differs. */
export function paidThenAndNow({ figures: seen }: SeenStatement, statement: TeamStatement) {
  const figures = figuresOf(statement);
  const paidIn = (all: readonly SeenFigures[], currency: string) =>
    all.find((each) => each.currency === currency)?.paid ?? 0;
  const currencies = [...figures, ...seen].map(({ currency }) => currency);
  const differs = (currency: string) => paidIn(seen, currency) !== paidIn(figures, currency);
  const currency = currencies.find(differs) ?? statement.currency;
  return { currency, before: paidIn(seen, currency), now: paidIn(figures, currency) };
}

function read(storageKey: string): Stored {
  return (readStored(storageKey) ?? {}) as Stored;
}

/** Without storage, or when it is full, every version counts as seen when it is displayed first. */
function write(storageKey: string, period: string, seen: Seen): void {
  const others = Object.entries(read(storageKey)).filter(([otherPeriod]) => otherPeriod !== period);
  writeStored(storageKey, Object.fromEntries([...others, [period, seen]].slice(-maxPeriods)));
}

/**
 * What the manager has seen of the period. A draft counts as seen when it is displayed for the first time. A draft
 * whose figures differ from the seen ones stays changed until {@link accept} is called.
 */
export function useSeenStatements(person: string, period: string, statements: readonly TeamStatement[] | undefined) {
  const storageKey = `seen-figures ${person}`;
  const [state, setState] = useState(() => ({ period, seen: read(storageKey)[period] ?? {} }));
  const current = state.period === period ? state.seen : (read(storageKey)[period] ?? {});
  const save = useCallback(
    (seen: Seen) => {
      write(storageKey, period, seen);
      setState({ period, seen });
    },
    [storageKey, period],
  );
  useEffect(() => {
    const drafts = statements?.filter(({ status }) => status === 'draft') ?? [];
    const at = new Date().toISOString();
    const fresh = drafts.filter((draft) => {
      const seen = current[draft.repId];
      return seen === undefined || (seen.version !== draft.version && isSeen(seen, draft));
    });
    if (fresh.length === 0) return;
    save({ ...current, ...Object.fromEntries(fresh.map((draft) => [draft.repId, look(draft, at)])) });
  }, [statements, current, save]);
  const accept = (statement: TeamStatement) =>
    save({ ...current, [statement.repId]: look(statement, new Date().toISOString()) });
  return { seenOf: (repId: string): SeenStatement | undefined => current[repId], accept };
}
