import { type UseQueryResult } from '@tanstack/react-query';
import { type ExceptionList, type Exceptions, finishedExceptions } from '../../api/team-queries.js';
import styles from '../../components/JobProgress.module.css';
import { Loaded } from '../../components/Loaded.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { ErrorState } from '../../components/States.js';
import { formatNumber } from '../../shared/format/numbers.js';

interface LoadedExceptionsProps {
  readonly query: UseQueryResult<Exceptions>;
  /** Height in pixels of what is loading. */
  readonly height: number;
  readonly children: (list: ExceptionList) => React.ReactNode;
}

/** The list of exceptions, or the progress of its calculation, which a large workspace waits for. */
export function LoadedExceptions({ query, height, children }: LoadedExceptionsProps) {
  return (
    <Loaded query={query} height={height}>
      {(answer) => {
        const list = finishedExceptions(answer);
        if (list !== undefined) return children(list);
        if (answer.job?.error !== undefined)
          return <ErrorState error={new Error(answer.job.error)} onRetry={() => query.refetch()} />;
        return <Calculating progress={answer.job?.progress ?? { done: 0, total: 0 }} />;
      }}
    </Loaded>
  );
}

function Calculating({ progress: { done, total } }: { readonly progress: { done: number; total: number } }) {
  const ratio = total === 0 ? 0 : done / total;
  const percent = Math.floor(ratio * 100);
  return (
    <div className={styles.job}>
      <p className="dim">
        Looking for deals that did not pay: {formatNumber(done)} of {formatNumber(total)} people.
      </p>
      <ProgressBar ratio={ratio} label={`${percent} % calculated`} />
      {/* Screen readers hear every quarter. */}
      <span className="unseen" role="status">
        {Math.floor(percent / 25) * 25} %
      </span>
    </div>
  );
}
