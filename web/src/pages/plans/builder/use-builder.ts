import { useCallback, useMemo } from 'react';
import { type Plan } from '../../../api/queries.js';
import { usePersistedState } from '../../../app/persisted-state.js';
import { type Draft, type DraftTerms, isSame, type Rule, toDraft, withChange } from '../../../features/plans/draft.js';
import { editedVersion } from '../../../features/plans/versions.js';

/** The version that the draft was made from. */
interface Base {
  readonly planVersionId: string;
  readonly version: number;
  /** The newest version at that time. */
  readonly latest: number;
}

interface DraftWithBase {
  readonly draft: Draft;
  readonly base: Base | null;
}

/** The part of the plan that the form displays: a rule by its position, or the conditions of the plan. */
export type Part = number | 'conditions';

/** The plan that is edited. The browser keeps it until it is saved or discarded. */
export interface Builder {
  /** Null for a plan that is not stored yet. */
  readonly plan: Plan | null;
  readonly draft: Draft;
  readonly base: Base | null;
  /** The version that the draft was made from, and its content. */
  readonly source: Plan | null;
  readonly saved: Draft | null;
  readonly isChanged: boolean;
  edit(change: Partial<Draft>): void;
  editTerms(change: Partial<DraftTerms>): void;
  editRule(index: number, change: Partial<Rule>): void;
  /** Continues from a stored version: with its content, or with the present one. */
  rebase(plan: Plan, keepsDraft: boolean): void;
  discard(): void;
}

function describeBase({ planVersionId, version }: Plan, latest: number): Base {
  return { planVersionId, version, latest };
}

/** Where the draft of a new plan is kept. */
export function newDraftKey(template: string | undefined): string {
  return `plan-draft new:${template ?? 'blank'}`;
}

/**
 * `history` has the newest version first. A new plan has none, and may start from a template; a change begins with the
 * version in force, or with a newer draft.
 */
export function useBuilder(history: readonly Plan[], initial: Draft, template?: string): Builder {
  const [newest] = history;
  const key = newest === undefined ? newDraftKey(template) : `plan-draft ${newest.planId}`;
  const edited = editedVersion(history);
  const latest = newest?.version ?? 0;
  const fresh = useMemo<DraftWithBase>(
    () =>
      edited === undefined
        ? { draft: initial, base: null }
        : { draft: toDraft(edited), base: describeBase(edited, latest) },
    [edited, latest, initial],
  );
  const [changed, setChanged, clear] = usePersistedState<DraftWithBase | null>(key, null);
  const { draft, base } = changed ?? fresh;
  const source = history.find(({ planVersionId }) => planVersionId === base?.planVersionId) ?? null;
  const saved = source === null ? null : toDraft(source);
  const edit = useCallback(
    (change: (before: Draft) => Draft) =>
      setChanged((before) => ({ ...(before ?? fresh), draft: change((before ?? fresh).draft) })),
    [setChanged, fresh],
  );
  const editTerms = (change: Partial<DraftTerms>) =>
    edit((before) => ({ ...before, terms: { ...before.terms, ...change } }));
  return {
    plan: newest ?? null,
    draft,
    base,
    source,
    saved,
    isChanged: saved === null ? changed !== null : !isSame(saved, draft),
    edit: (change) => edit((before) => ({ ...before, ...change })),
    editTerms,
    editRule: (index, change) =>
      editTerms({
        rules: draft.terms.rules.map((rule, position) => (position === index ? withChange(rule, change) : rule)),
      }),
    rebase: (plan, keepsDraft) =>
      keepsDraft ? setChanged({ draft, base: describeBase(plan, Math.max(latest, plan.version)) }) : setChanged(null),
    discard: clear,
  };
}
