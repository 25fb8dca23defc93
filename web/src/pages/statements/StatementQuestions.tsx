import { IconMessageCircleQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { disputesQuery } from '../../api/queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { DisputeBadge } from '../../features/disputes/DisputeBadge.js';
import { disputeKey, disputeTitle } from '../../features/disputes/words.js';
import styles from './StatementPage.module.css';

const DisputeDialog = lazy(() =>
  import('../../features/disputes/DisputeDialog.js').then((module) => ({ default: module.DisputeDialog })),
);

interface StatementQuestionsProps {
  readonly repId: string;
  readonly period: string;
  readonly mayAsk: boolean;
}

/** The disputes about a statement. */
export function StatementQuestions({ repId, period, mayAsk }: StatementQuestionsProps) {
  const [isAsking, setAsking] = usePersistedDialog(disputeKey(period, null));
  const disputes = useQuery(disputesQuery({ repId, period }));
  return (
    <section className={`${blocks.inOrder} ${styles.questions}`}>
      <h2>Questions</h2>
      <Loaded query={disputes} height={20}>
        {({ disputes: all }) =>
          all.length === 0 ? (
            <p className="dim">No questions about this statement.</p>
          ) : (
            <ul className={blocks.rows}>
              {all.map((dispute) => (
                <li key={dispute.disputeId}>
                  <Link to="/questions/$disputeId" params={{ disputeId: dispute.disputeId }}>
                    {disputeTitle(dispute)}
                  </Link>
                  <DisputeBadge status={dispute.status} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {mayAsk ? (
        <Button icon={IconMessageCircleQuestion} onClick={() => setAsking(true)}>
          Report something missing
        </Button>
      ) : null}
      <Suspense fallback={null}>
        {isAsking ? <DisputeDialog period={period} event={null} onClose={() => setAsking(false)} /> : null}
      </Suspense>
    </section>
  );
}
