import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Job, jobQuery } from '../api/job-queries.js';
import { formatCount, formatNumber } from '../shared/format/numbers.js';
import styles from './JobProgress.module.css';
import { ProgressBar } from './ProgressBar.js';
import { Badge } from './StatusBadge.js';

const kinds: Readonly<Record<string, string>> = {
  recalculation: 'Recalculation',
  import: 'Calculation of the import',
  mapping: 'Calculation of the field mapping',
  sync: 'Sync',
};

const scopes: Readonly<Record<Job['scope'], string>> = {
  workspace: 'everyone',
  plan: 'a plan',
  rep: 'one person',
  deal: 'one deal',
};

export function jobWords({ kind, scope }: Job): string {
  return kind === 'recalculation' ? `Recalculation of ${scopes[scope]}` : (kinds[kind] ?? kind);
}

/** The ratio lies between 0 and 1; a job without work is complete. */
export function jobRatio({ status, progress: { done, total } }: Job): number {
  return status !== 'running' || total === 0 ? 1 : done / total;
}

export function JobBadge({ status }: Pick<Job, 'status'>) {
  if (status === 'running') return <Badge tone="info">Running</Badge>;
  return status === 'completed' ? <Badge tone="good">Done</Badge> : <Badge tone="negative">Failed</Badge>;
}

/** A job where it was started: progress, then the result. It continues when the page is closed. */
export function JobProgress({ jobId }: { readonly jobId: string }) {
  const { data: job } = useQuery(jobQuery(jobId));
  if (job === undefined) return null;
  return <JobLine job={job} />;
}

export function JobLine({ job }: { readonly job: Job }) {
  const { jobId, status, progress, error } = job;
  const percent = Math.floor(jobRatio(job) * 100);
  return (
    <div className={styles.job}>
      <div className={styles.head}>
        <Link to="/recalculations" search={{ job: jobId }} className="ink strong">
          {jobWords(job)}
        </Link>
        {status === 'running' ? <span className="num">{percent} %</span> : <JobBadge status={status} />}
      </div>
      {status === 'running' ? <ProgressBar ratio={jobRatio(job)} label={`${percent} % calculated`} /> : null}
      <p className="dim">
        {error ?? resultWords(job) ?? `${formatNumber(progress.done)} of ${formatNumber(progress.total)} people`}
      </p>
      {/* Screen readers hear every quarter. */}
      <span className="unseen" role="status">
        {status === 'running' ? `${Math.floor(percent / 25) * 25} %` : status}
      </span>
    </div>
  );
}

/** What the job changed, in words. */
export function resultWords({ status, result, progress }: Job): string | null {
  if (status === 'running' || result === undefined) return null;
  const { count, eventsWritten, eventsReversed, statementLocked } = result;
  return [
    formatCount(progress.total, 'person', 'people'),
    count === undefined ? null : formatCount(count, 'deal'),
    eventsWritten === undefined ? null : `${formatCount(eventsWritten, 'line')} written`,
    eventsReversed ? `${formatNumber(eventsReversed)} reversed` : null,
    statementLocked ? 'approved statements stayed as they are' : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
}
