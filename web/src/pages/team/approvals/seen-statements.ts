import { useCallback, useEffect, useState } from 'react';
import { type TeamStatement } from '../../../api/team-queries.js';
import { readStored, writeStored } from '../../../app/device-storage.js';

/** The version that the manager has looked at on this device. */
export interface SeenStatement {
  readonly version: number;
  readonly netPayout: number;
  readonly commission: number;
  readonly bonuses: number;
  readonly adjustments: number;
  /** Instant in ISO 8601. */
  readonly at: string;
}

type Seen = Readonly<Record<string, SeenStatement>>;
type Stored = Readonly<Record<string, Seen>>;

/** Periods whose seen versions are stored. */
const maxPeriods = 3;

function look({ version, summary }: TeamStatement, at: string): SeenStatement {
  return {
    version,
    netPayout: summary.netPayout,
    commission: summary.totalCommission,
    bonuses: summary.totalBonuses,
    adjustments: summary.totalAdjustments,
    at,
  };
}

/** Whether every figure of the row is the one that was seen. A new version with the same figures needs no second look. */
export function isSeen(seen: SeenStatement, { summary }: TeamStatement): boolean {
  return (
    seen.netPayout === summary.netPayout &&
    seen.commission === summary.totalCommission &&
    seen.bonuses === summary.totalBonuses &&
    seen.adjustments === summary.totalAdjustments
  );
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
  const storageKey = `seen-statements ${person}`;
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
