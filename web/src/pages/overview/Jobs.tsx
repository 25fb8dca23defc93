import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { jobsQuery } from '../../api/job-queries.js';
import { JobLine } from '../../components/JobProgress.js';
import styles from './Overview.module.css';

const maxShown = 4;

/** The latest jobs with their progress or result. */
export function Jobs() {
  const { data } = useQuery(jobsQuery);
  return (
    <section>
      <div className={styles.head}>
        <h2>Jobs</h2>
        <Link to="/recalculations">History</Link>
      </div>
      {data === undefined || data.jobs.length === 0 ? (
        <p className="dim">None in the last six hours.</p>
      ) : (
        data.jobs.slice(0, maxShown).map((job) => <JobLine key={job.jobId} job={job} />)
      )}
    </section>
  );
}
