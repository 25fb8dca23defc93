import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { jobsQuery } from '../api/job-queries.js';
import { jobRatio } from '../components/JobProgress.js';
import styles from './HeaderBar.module.css';

const words: Readonly<Record<string, string>> = { sync: 'Syncing', recalculation: 'Recalculating' };

/** The job that runs, with its progress, on every page of an admin. */
export function RunningJobs() {
  const { data } = useQuery(jobsQuery);
  const job = data?.jobs.find(({ status }) => status === 'running');
  if (job === undefined) return null;
  return (
    <Link to="/recalculations" search={{ job: job.jobId }} className={styles.job}>
      {words[job.kind] ?? 'Calculating'} <span className="num">{Math.floor(jobRatio(job) * 100)} %</span>
    </Link>
  );
}
