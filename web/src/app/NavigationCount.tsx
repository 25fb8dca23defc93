import { useQuery } from '@tanstack/react-query';
import { disputesQuery } from '../api/queries.js';
import { teamStatementsQuery, waiting } from '../api/team-queries.js';
import styles from './Navigation.module.css';
import { useEndedPeriod } from './today.js';

interface NavigationCountProps {
  readonly of: 'approvals' | 'questions';
}

/** How much waits on a page of the navigation. Nothing for 0. */
export function NavigationCount({ of }: NavigationCountProps) {
  const count = { approvals: useApprovals, questions: useQuestions }[of]();
  if (count === 0) return null;
  return (
    <span className={`num ${styles.count}`}>
      {count}
      <span className="unseen"> waiting</span>
    </span>
  );
}

/** The drafts of the month that ended last. */
function useApprovals(): number {
  const { data } = useQuery(teamStatementsQuery(useEndedPeriod()));
  return data?.statements.filter(({ status }) => status === 'draft').length ?? 0;
}

function useQuestions(): number {
  return waiting(useQuery(disputesQuery({})).data?.disputes ?? []).length;
}
