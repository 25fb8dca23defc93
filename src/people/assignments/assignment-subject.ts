import { loadTermsSubject } from '../../plans/plan-subject.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Subject } from '../../platform/operations/operation.js';
import { findAssignment } from './assignment-views.js';

/** A change of an assignment: it pays the rep who is assigned. */
export async function assignmentSubject(tx: Transaction, assignmentId: string): Promise<Subject> {
  const assignment = await findAssignment(tx, assignmentId);
  if (assignment === null) return { paid: [], state: null };
  const { repId, planId, effectiveStart, effectiveEnd, rampId, rampFrom } = assignment;
  const { paid, state } = await loadTermsSubject(tx, planId, [repId]);
  return { paid, state: { plan: state, repId, effectiveStart, effectiveEnd, rampId, rampFrom } };
}
