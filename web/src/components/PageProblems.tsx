import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Page } from './Page.js';
import { EmptyState, ErrorState } from './States.js';

/** A page whose code failed; the navigation stays. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="Problem" crumbs={[{ label: 'Problem' }]}>
      <ErrorState error={error} onRetry={reset} />
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="There is no such page" crumbs={[{ label: 'Not found' }]}>
      <EmptyState title="Nothing is here">
        The address may be mistyped, or the page is not part of your role. <Link to="/">Go to the first page</Link>
      </EmptyState>
    </Page>
  );
}
