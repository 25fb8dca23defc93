import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/Button.js';
import { EmptyState } from '../../components/States.js';

/** In place of the grid of a fiscal year that is not defined. */
export function UnknownYear({ year }: { readonly year: string }) {
  return (
    <EmptyState
      title={`The fiscal year ${year} is not defined`}
      actions={
        <Link to="/fiscal-calendar" className={buttonClass()}>
          Fiscal calendar
        </Link>
      }
    >
      The rule counts fiscal periods, so its columns need the days of the year.
    </EmptyState>
  );
}
