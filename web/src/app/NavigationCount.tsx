import { useQuery } from '@tanstack/react-query';
import { disputeCountsQuery, disputesQuery } from '../api/queries.js';
import { differenceCountQuery, toApproveQuery } from '../api/team-queries.js';
import { useUnread } from '../features/disputes/read-answers.js';
import styles from './Navigation.module.css';
import { useSession } from './session.js';
import { useEndedPeriod } from './today.js';

interface NavigationCountProps {
  readonly of: 'approvals' | 'questions' | 'discrepancies' | 'answers';
}

/** How much waits on a page of the navigation. Nothing for 0. */
export function NavigationCount({ of }: NavigationCountProps) {
  const count = counts[of]();
  if (count === 0) return null;
  return (
    <span className={`num ${styles.count}`}>
      {count}
      <span className="unseen"> {of === 'answers' ? 'new' : 'waiting'}</span>
    </span>
  );
}

/** What the person can approve of the period that ended last. */
function useApprovals(): number {
  return useQuery(toApproveQuery(useEndedPeriod())).data?.toApprove ?? 0;
}

function useQuestions(): number {
  return useQuery(disputeCountsQuery).data?.waiting ?? 0;
}

/** Answers to the person's own questions. */
function useAnswers(): number {
  const { repId } = useSession();
  return useUnread(useQuery(disputesQuery({ repId })).data?.disputes ?? []).length;
}

function useDiscrepancies(): number {
  return useQuery(differenceCountQuery).data ?? 0;
}

const counts = {
  approvals: useApprovals,
  questions: useQuestions,
  discrepancies: useDiscrepancies,
  answers: useAnswers,
};
