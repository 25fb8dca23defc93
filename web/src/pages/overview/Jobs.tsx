import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { jobsQuery } from '../../api/job-queries.js';
import { JobLine } from '../../components/JobProgress.js';
import { Loaded } from '../../components/Loaded.js';
import styles from './Overview.module.css';

const maxVisible = 4;

/** The latest jobs with their progress or result. */
export function Jobs() {
  const jobs = useQuery(jobsQuery);
  return (
    <section>
      <div className={styles.head}>
        <h2>Jobs</h2>
        <Link to="/recalculations">History</Link>
      </div>
      <Loaded query={jobs} height={60}>
        {({ jobs: all }) =>
          all.length === 0 ? (
            <p className="dim">No jobs in the last six hours.</p>
          ) : (
            all.slice(0, maxVisible).map((job) => <JobLine key={job.jobId} job={job} />)
          )
        }
      </Loaded>
    </section>
  );
}
