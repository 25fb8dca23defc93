import { allDays, type Day } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AffectedDays, type FactChange, factOf, factsOf } from '../../platform/files/facts.js';
import { assignmentOverlap } from './assignment.js';
import {
  changeAssignment,
  insertAssignments,
  listAffectedReps,
  overlappingReps,
  type RampedPlacement,
  removeAssignments,
} from './assignment-store.js';
import { listAssignments } from './assignment-views.js';

/** An assignment as a file states it: a plan and days. */
export interface AssignmentFact {
  readonly assignmentId?: string;
  readonly repId: string;
  readonly planId: string;
  readonly start: Day | null;
  readonly end: Day | null;
  /** Absent keeps the stored one. */
  readonly rampId?: string | null | undefined;
  readonly rampFrom?: Day | null | undefined;
}

export const assignmentFacts = factsOf<AssignmentFact>({
  key: ['repId', 'planId', 'start', 'end'],
  terms: ['rampId', 'rampFrom'],
  async load(tx, facts) {
    const stored = await listAssignments(tx, { repIds: [...new Set(facts.map(({ repId }) => repId))] });
    return stored.map(({ effectiveStart, effectiveEnd, rampId = null, rampFrom = null, ...assignment }) => ({
      ...assignment,
      start: effectiveStart,
      end: effectiveEnd,
      rampId,
      rampFrom,
    }));
  },
  /** An assignment that is taken back has never been: events earned under it go too. */
  async store(tx, changes) {
    await removeAssignments(
      tx,
      changes.flatMap(({ after, before }) => (after === null ? (before?.assignmentId ?? []) : [])),
    );
    for (const group of groupBy(changes.filter(isNew), placementKey).values()) await insertGroup(tx, group);
    for (const { before, after } of changes)
      if (before !== null && after !== null) await changeAssignment(tx, before.assignmentId as string, ramped(after));
    const affected: AffectedDays[] = [];
    for (const [planId, ofPlan] of groupBy(changes, (change) => factOf(change).planId)) {
      const repIds = ofPlan.map((change) => factOf(change).repId);
      await tx.changeTerms({ planRef: planId, repIds });
      for (const repId of await listAffectedReps(tx, planId, repIds)) affected.push({ repId, days: allDays });
    }
    return affected;
  },
});

function isNew({ before }: FactChange<AssignmentFact>): boolean {
  return before === null;
}

function ramped({ rampId = null, rampFrom = null, ...assignment }: AssignmentFact): RampedPlacement {
  return { ...assignment, rampId, rampFrom };
}

function placementKey({ after }: FactChange<AssignmentFact>): string {
  return after === null ? '' : [after.planId, after.start, after.end, after.rampId, after.rampFrom].join('|');
}

/** Inserts assignments to the same plan on the same days, with the same ramp. */
async function insertGroup(tx: Transaction, group: readonly FactChange<AssignmentFact>[]): Promise<void> {
  const added = group.flatMap(({ after }) => after ?? []);
  const [placement] = added;
  if (placement === undefined) return;
  const repIds = added.map(({ repId }) => repId);
  const overlapping = await overlappingReps(tx, repIds, placement);
  if (overlapping.length > 0) throw assignmentOverlap(overlapping);
  await insertAssignments(tx, repIds, ramped(placement));
}
